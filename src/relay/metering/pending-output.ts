import { estimateTokens } from "#core/count.ts";
import { inTime } from "./count-usage.ts";
import { countTokensSoon } from "./tokens.ts";

const MAX_KEPT_CHARS = 64_000;
/** Dropped texts that may wait for their count; a faster stream is counted by a sample. */
const MAX_UNCOUNTED = 4;

/** Output to count at the end: kept as text, or as a number if the text is long. */
export class PendingOutput {
  text = "";
  /** Tokens of the text that was already dropped; an estimate until `whole`. */
  #tokens = 0;
  /** The running count of dropped text. */
  #counting: Promise<void> | undefined;
  #uncounted = 0;
  /** Of the dropped texts that were counted: the estimate, and the exact number. */
  #countedRough = 0;
  #countedExact = 0;
  /** The estimate of dropped texts that are never counted. */
  #skippedRough = 0;
  /** Tokens of the kept text so far: at the end it is counted again as a whole. */
  #countedTokens = 0;
  #countedChars = 0;

  add(text: string): void {
    this.text += text;
    if (this.text.length <= MAX_KEPT_CHARS) return;
    const long = this.text;
    const rough = estimateTokens(long);
    this.#tokens += rough;
    this.text = "";
    this.#countedTokens = 0;
    this.#countedChars = 0;
    if (this.#uncounted >= MAX_UNCOUNTED) this.#skippedRough += rough;
    else this.#counting = this.#count(long, rough, this.#counting);
  }

  async #count(text: string, rough: number, before: Promise<void> | undefined): Promise<void> {
    this.#uncounted++;
    await before;
    const exact = await inTime(countTokensSoon(text)).catch(() => rough);
    this.#uncounted--;
    // Add only now: more may have been added during the count.
    this.#tokens += exact - rough;
    this.#countedRough += rough;
    this.#countedExact += exact;
  }

  /** Tokens of all dropped text; skipped parts are like those that were counted. */
  get #droppedTokens(): number {
    if (this.#skippedRough === 0 || this.#countedRough === 0) return this.#tokens;
    const excess = this.#skippedRough * (1 - this.#countedExact / this.#countedRough);
    return Math.round(this.#tokens - excess);
  }

  /** All of it: the kept text, and the tokens of the dropped part. */
  async whole(rest = ""): Promise<{ readonly text: string; readonly tokens: number }> {
    await this.#counting;
    return { text: this.text + rest, tokens: this.#droppedTokens };
  }

  /** Tokens so far. Only text since the last count is counted. */
  async countSoFar(): Promise<number> {
    const { text } = this;
    const more = await countTokensSoon(text.slice(this.#countedChars));
    await this.#counting;
    // The kept text may have been dropped meanwhile.
    if (!this.text.startsWith(text)) return this.roughTokens;
    this.#countedTokens += more;
    this.#countedChars = text.length;
    return this.#droppedTokens + this.#countedTokens;
  }

  get roughTokens(): number {
    return this.#tokens + estimateTokens(this.text);
  }
}
