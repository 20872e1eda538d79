import { randomBytes } from "node:crypto";

/** An id as answers carry it: 22 letters of the alphabet for addresses. */
export function newResponseId(): string {
  return randomBytes(17).toString("base64url").slice(0, 22);
}

/** An id of a call: eight small letters and digits. */
export function newCallId(): string {
  return randomText(8);
}

/** An id of an operation and of what it makes. */
export function newFileId(): string {
  return randomText(12);
}

/** A name that the vendor gives: `cachedContents/2u2c5gkq…` */
export function newName(collection: string): string {
  return `${collection}/${randomText(40)}`;
}

function randomText(length: number): string {
  return Array.from(randomBytes(length), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
