import { isJsonArray, type JsonObject } from "../json.ts";
import { invalid } from "./error.ts";

/** Of an object, or of the names in a form. */
export function refuseUnknown(
  given: JsonObject | readonly string[],
  known: readonly string[],
  path?: string,
): void {
  const names = isJsonArray(given) ? given : Object.keys(given);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const param = path === undefined ? unknown : `${path}.${unknown}`;
  throw invalid(param, "unknown_parameter", `Unknown parameter: '${param}'.`);
}
