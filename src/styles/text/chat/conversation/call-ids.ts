import { createHash } from "node:crypto";

/** The most that the style's first vendor takes. */
const MAX_LENGTH = 40;

/** An id of another style may be longer: call and result get the same shorter one. */
export function fitId(id: string): string {
  if (id.length <= MAX_LENGTH) return id;
  return `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}
