import { LongBase64 } from "./long-base64.ts";

/** Whether two values are the same JSON. A member that is `undefined` counts as absent. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) return Array.isArray(other) && isSameList(one, other);
  return isMembers(one) && isMembers(other) && isSameObject(one, other);
}

type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return !(value instanceof LongBase64);
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return (
    one.length === other.length && one.every((value, index) => isSameValue(value, other[index]))
  );
}

function isSameObject(one: Members, other: Members): boolean {
  for (const name in one) if (!isSameValue(one[name], other[name])) return false;
  for (const name in other) if (other[name] !== undefined && one[name] === undefined) return false;
  return true;
}
