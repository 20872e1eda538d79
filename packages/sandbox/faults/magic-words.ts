import type { FaultRequest } from "./faults.ts";

/** `[[fault:status code=429 retry_after=1]]` in a user's message asks for a fault. */
export function readMagicWords(text: string): readonly FaultRequest[] {
  return [...text.matchAll(MAGIC_WORDS)].map(([, name = "", rest = ""]) => ({
    name,
    args: readPairs(rest),
  }));
}

/** The rest of the user's text. */
export function withoutMagicWords(text: string): string {
  return text.includes("[[fault:") ? text.replaceAll(MAGIC_WORDS, "").trim() : text;
}

const MAGIC_WORDS = /\[\[fault:([a-z\d]{1,40})((?:\s[^\n]{0,2000}?)?)\]\]/gi;

function readPairs(text: string): Readonly<Record<string, string>> {
  const found = text.matchAll(/([a-z_]+)=(?:"([^"]*)"|(\S+))/g);
  return Object.fromEntries(
    [...found].map(([, key = "", quoted, plain = ""]) => [key, quoted ?? plain]),
  );
}
