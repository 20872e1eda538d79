import { isArray, isObject, type Json } from "#lib/json.ts";

const DEFAULTS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ["temperature", 1],
  ["top_p", 1],
  ["n", 1],
  ["presence_penalty", 0],
  ["frequency_penalty", 0],
  ["logprobs", false],
  ["store", false],
  ["service_tier", "auto"],
]);

/** Whether a value is the default of models and vendors: leaving it out loses nothing. */
export function isDefault(name: string, value: Json): boolean {
  return value === null || value === "" || isEmpty(value) || DEFAULTS.get(name) === value;
}

function isEmpty(value: Json): boolean {
  if (isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}
