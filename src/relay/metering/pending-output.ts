import { estimateTokens } from "#core/count.ts";
import { countTokens } from "./tokens.ts";

const MAX_KEPT_CHARS = 64_000;

/** Output that is counted once it is all there: kept as text, or as a number where that would be much to keep. */
export class PendingOutput {
  text = "";
  /** Of what came before the text; rough until `whole`. */
  #tokens = 0;
  /** What is being counted, and no longer kept. */
  #counting: Promise<void> = Promise.resolve();
  /** Of the text, so far: it is counted again, and not in parts, at the end. */
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
    this.#counting = this.#counting.then(async () => {
      const exact = await countTokens(long).catch(() => rough);
      // Only now: more may have been added while this was counted.
      this.#tokens += exact - rough;
    });
  }

  /** All of it: the text that is kept, and the tokens of what came before. */
  async whole(rest = ""): Promise<{ readonly text: string; readonly tokens: number }> {
    await this.#counting;
    return { text: this.text + rest, tokens: this.#tokens };
  }

  /** Tokens so far. Of the text only what was added since the last time is counted. */
  async countSoFar(): Promise<number> {
    const { text } = this;
    const more = await countTokens(text.slice(this.#countedChars));
    await this.#counting;
    // What was kept may have been let go of meanwhile.
    if (!this.text.startsWith(text)) return this.roughTokens;
    this.#countedTokens += more;
    this.#countedChars = text.length;
    return this.#tokens + this.#countedTokens;
  }

  get roughTokens(): number {
    return this.#tokens + estimateTokens(this.text);
  }
}
