/** "cgt-20260101120000-ab3de": the time, and five letters or digits. */
export function newTaskId(now: number): string {
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(/\D/g, "");
  const random = crypto.getRandomValues(new Uint8Array(5));
  const tail = Array.from(random, (byte) => (byte % 36).toString(36)).join("");
  return `cgt-${time}-${tail}`;
}
