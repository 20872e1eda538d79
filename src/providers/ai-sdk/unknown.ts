/** Reads of what a library hands over: nobody vouches for its types, and not all of it is JSON. */
export type Members = Readonly<Record<string, unknown>>;

export function membersOf(value: unknown): Members {
  return isMembers(value) ? value : {};
}

export function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textIn(value: unknown, name: string): string | undefined {
  const member = membersOf(value)[name];
  return typeof member === "string" ? member : undefined;
}

export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
