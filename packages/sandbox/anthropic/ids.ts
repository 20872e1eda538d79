/** An id as the vendor makes them: `msg_01` and the like, never the same twice. */
export function newId(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(22));
  return `${prefix}_01${Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join("")}`;
}

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
