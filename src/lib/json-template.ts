import { parseJson } from "./json.ts";

/** Characters that a JSON string must escape, and the escape character. */
const UNPLAIN = /["\\\p{Cc}]/u;

/** Learning has a cost; it stops after this many useless attempts. */
const MAX_IN_VAIN = 4;

/**
 * Reads JSON texts that equal an earlier one except for a single string: most
 * events of a stream do, and then need no parsing.
 */
export class JsonTemplate {
  readonly #key: string;
  #before = "";
  #after = "";
  #isKnown = false;
  #inVain = 0;

  /** `member`: the field that contains the string. */
  constructor(member: string) {
    this.#key = `${JSON.stringify(member)}:`;
  }

  /** The string; undefined if the text differs anywhere else. */
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
   * Uses a valid text as the pattern if the field occurs in it once with that
   * string. False if it does not.
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

/** The position of a string's closing quote. */
function endOfString(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}
