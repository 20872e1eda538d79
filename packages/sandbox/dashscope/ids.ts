export function newRequestId(): string {
  return crypto.randomUUID();
}

/** "call_962bfd2ab8f54b89a1161356" */
export function newCallId(): string {
  return `call_${Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString("hex")}`;
}
