import { createHash } from "node:crypto";

/** The most that the style's first vendor takes. */
const MAX_LENGTH = 64;

/** The same id always becomes the same, since a call and its result each name it. */
export function fitCallId(id: string): string {
  if (id.length <= MAX_LENGTH) return id;
  return `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}
