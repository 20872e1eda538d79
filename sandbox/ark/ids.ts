/** "021754042105330" and so on: the time in milliseconds, and hexadecimal digits. */
export function newRequestId(now: number): string {
  const digits = Buffer.from(crypto.getRandomValues(new Uint8Array(19))).toString("hex");
  return `02${Math.floor(now)}${digits}`;
}
