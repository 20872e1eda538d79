import type { Json, JsonObject } from "#lib/json.ts";
import { CLIENT_CALL_TYPES } from "./client-tools.ts";

/** Each kind of call has its own kind of result. */
export const RESULT_OF: ReadonlyMap<Json | undefined, string> = new Map([
  ["function_call", "function_call_output"],
  ["custom_tool_call", "custom_tool_call_output"],
  ...CLIENT_CALL_TYPES,
]);
const RESULTS: ReadonlySet<Json | undefined> = new Set(RESULT_OF.values());

export function isResult({ type }: JsonObject): boolean {
  return RESULTS.has(type);
}
