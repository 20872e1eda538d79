import { isObject, type JsonObject } from "#lib/json.ts";
import { objectOf } from "#lib/values.ts";

/** What is called, as its type says: some servers write the members of both kinds, one of them empty. */
export function kindOf({ type, function: called, custom }: JsonObject): "function" | "custom" {
  if (type === "function" || type === "custom") return type;
  return isObject(custom) && !isObject(called) ? "custom" : "function";
}

/** The member of a call that holds its name and what it is called with. */
export function calledIn(call: JsonObject): JsonObject | undefined {
  return objectOf(call[kindOf(call)]) ?? objectOf(call["function"]) ?? objectOf(call["custom"]);
}
