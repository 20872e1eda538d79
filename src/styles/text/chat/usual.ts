import { isArray, isObject, type Json } from "#lib/json.ts";

const USUAL: ReadonlyMap<string, Json> = new Map<string, Json>([
  ["temperature", 1],
  ["top_p", 1],
  ["n", 1],
  ["presence_penalty", 0],
  ["frequency_penalty", 0],
  ["logprobs", false],
  ["store", false],
  ["service_tier", "auto"],
]);

/** What models and vendors do anyway: leaving it out loses nothing. */
export function isUsual(name: string, value: Json): boolean {
  return value === null || value === "" || isEmpty(value) || USUAL.get(name) === value;
}

function isEmpty(value: Json): boolean {
  if (isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}
