import { estimateTokens } from "#core/count.ts";

const MAX_KEPT_CHARS = 64_000;

/** Output that is counted once it is all there: kept as text, unless that would be much to keep. */
export class Uncounted {
  text = "";
  /** Of what came before the text. */
  tokens = 0;

  add(text: string): void {
    this.text += text;
    if (this.text.length <= MAX_KEPT_CHARS) return;
    this.tokens = this.roughTokens;
    this.text = "";
  }

  /** With what came last, which is never too much to be kept. */
  and(rest: string): Pick<Uncounted, "text" | "tokens"> {
    return { text: this.text + rest, tokens: this.tokens };
  }

  get roughTokens(): number {
    return this.tokens + estimateTokens(this.text);
  }
}
