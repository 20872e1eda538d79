/** "021754042105330" and so on: the time in milliseconds, and hexadecimal digits. */
export function newRequestId(now: number): string {
  const digits = Buffer.from(crypto.getRandomValues(new Uint8Array(19))).toString("hex");
  return `02${Math.floor(now)}${digits}`;
}

/** Such as "cgt-20260101120000-ab3de": the kind, the time, and five letters or digits. */
export function newId(kind: "cgt" | "group" | "asset", now: number): string {
  const random = crypto.getRandomValues(new Uint8Array(5));
  const tail = Array.from(random, (byte) => (byte % 36).toString(36)).join("");
  return `${kind}-${timeDigits(now)}-${tail}`;
}

/** Such as "20260101120000" and hexadecimal digits: the control plane's requests, and tokens of verifications. */
export function newControlId(now: number): string {
  const digits = Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString("hex");
  return timeDigits(now) + digits.toUpperCase();
}

function timeDigits(now: number): string {
  return new Date(now).toISOString().slice(0, 19).replaceAll(/\D/g, "");
}
