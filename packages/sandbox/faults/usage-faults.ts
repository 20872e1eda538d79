import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Faults } from "./faults.ts";

/** The usage that a reply reports: the true one, a false one, or none. */
export function reportedUsage(
  usage: JsonObject,
  { nousage, lyingusage }: Faults,
): JsonObject | undefined {
  if (nousage) return undefined;
  if (!lyingusage) return usage;
  const lie = LIES[lyingusage.kind];
  return mapNumbers(usage, lie);
}

const LIES: Readonly<Record<NonNullable<Faults["lyingusage"]>["kind"], (value: number) => Json>> = {
  negative: (value) => -1 - value,
  huge: () => 1e18,
  string: (value) => String(value),
  zero: () => 0,
};

function mapNumbers(object: JsonObject, lie: (value: number) => Json): JsonObject {
  const mapped = Object.entries(object).map(([key, value]): [string, Json] => {
    if (typeof value === "number") return [key, lie(value)];
    return [key, isJsonObject(value) ? mapNumbers(value, lie) : value];
  });
  return Object.fromEntries(mapped);
}
