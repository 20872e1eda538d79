import { parseExactJson } from "#lib/exact-number.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import type { ToolKind } from "./tool-name.ts";

/** Arguments as the object that this style wants, whatever the model wrote. */
export function inputOf(args: string, kind: ToolKind): JsonObject {
  if (kind === "custom") return { input: args };
  if (args.trim() === "") return {};
  const value = parseExactJson(args);
  if (isObject(value)) return value;
  // Cut short, most often: the model still sees what it wrote.
  if (value === undefined) return { _raw: args };
  return value === null ? {} : { value };
}

/** The free text that stands in the one member of its tool's schema. */
export function textOfInput(args: string): string {
  const value = parseExactJson(args);
  const text = isObject(value) ? value["input"] : undefined;
  return typeof text === "string" ? text : args;
}
