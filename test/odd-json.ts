import { isObject, type Json } from "#lib/json.ts";

/** The places of a body, by the steps that lead to them. */
export function placesIn(value: Json | undefined, path: readonly string[] = []): string[][] {
  const inner = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return [[...path], ...inner.flatMap(([name, each]) => placesIn(each, [...path, name]))];
}

/** The body with another value at one place. */
export function replaced(
  value: Json | undefined,
  [step, ...rest]: readonly string[],
  by: Json,
): Json {
  if (step === undefined) return by;
  if (Array.isArray(value)) {
    return value.map((each: Json, at) => (String(at) === step ? replaced(each, rest, by) : each));
  }
  return isObject(value) ? { ...value, [step]: replaced(value[step], rest, by) } : by;
}
