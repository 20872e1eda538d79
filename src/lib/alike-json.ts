import { parseJson } from "./json.ts";

/** What a JSON string may not hold as it is, and how it says so. */
const UNPLAIN = /["\\\p{Cc}]/u;

/** Learning costs something; where it never pays, it is given up. */
const MAX_IN_VAIN = 4;

/**
 * Reads texts of JSON that are letter for letter like one before, but for a
 * single string: most events of a stream are, and need not be parsed then.
 */
export class AlikeJson {
  readonly #key: string;
  #before = "";
  #after = "";
  #isKnown = false;
  #inVain = 0;

  /** `member`: the name under which the string stands. */
  constructor(member: string) {
    this.#key = `${JSON.stringify(member)}:`;
  }

  /** The string; undefined where anything else is different too. */
  read(text: string): string | undefined {
    if (!this.#isKnown || !text.startsWith(this.#before) || !text.endsWith(this.#after)) {
      return undefined;
    }
    const end = text.length - this.#after.length;
    if (end < this.#before.length) return undefined;
    const value = unquoted(text.slice(this.#before.length, end));
    if (value !== undefined) this.#inVain = 0;
    return value;
  }

  /**
   * Takes a valid text as the pattern of those to come, if the member stands
   * in it once and is that string. False where it does not.
   */
  learn(text: string, value: string): boolean {
    if (this.#inVain >= MAX_IN_VAIN) return false;
    this.#inVain++;
    const at = text.indexOf(this.#key);
    if (at < 0 || text.includes(this.#key, at + 1)) return false;
    const key = at + this.#key.length;
    const start = text.startsWith(" ", key) ? key + 1 : key;
    if (text[start] !== '"') return false;
    const end = endOfString(text, start + 1);
    if (unquoted(text.slice(start + 1, end)) !== value) return false;
    this.#before = text.slice(0, start + 1);
    this.#after = text.slice(end);
    this.#isKnown = true;
    return true;
  }
}

function unquoted(inside: string): string | undefined {
  if (!UNPLAIN.test(inside)) return inside;
  const value = parseJson(`"${inside}"`);
  return typeof value === "string" ? value : undefined;
}

/** Where the closing quote of a string stands. */
function endOfString(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}
