import type { JsonObject } from "#sandbox/json.ts";
import { invalid } from "#sandbox/openai/error.ts";

/** Unlike chat, this API refuses a member that it does not know. */
export function refuseUnknown(object: JsonObject, known: readonly string[], path?: string): void {
  const unknown = Object.keys(object).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const param = path === undefined ? unknown : `${path}.${unknown}`;
  throw invalid(param, "unknown_parameter", `Unknown parameter: '${param}'.`);
}
