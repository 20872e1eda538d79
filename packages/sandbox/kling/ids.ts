import { randomInt } from "node:crypto";

/** Eighteen digits: more than a number of JavaScript's holds. */
export function newTaskId(now: number): string {
  return `${Math.floor(now)}${randomInt(10_000, 99_999)}`;
}

export function newRequestId(): string {
  return `Cj${Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("base64url")}`;
}
