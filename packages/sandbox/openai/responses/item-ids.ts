import { newId } from "../ids.ts";

/** An id as the vendor makes them for responses and their items: a prefix and 50 hexadecimal digits. */
export function newItemId(prefix: string): string {
  return `${prefix}_${Buffer.from(crypto.getRandomValues(new Uint8Array(25))).toString("hex")}`;
}

export function newCallId(): string {
  return newId("call_", 24);
}
