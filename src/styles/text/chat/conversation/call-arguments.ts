import { GatewayError } from "#core/error.ts";
import { parseJson } from "#lib/json.ts";

const MAX_LENGTH = 16 * 1_024 * 1_024;

/** The arguments of a tool call as they come in, and whether they could be all there is. */
export class CallArguments {
  #text = "";
  #checkedLength = -1;
  #isWhole = false;

  add(piece: string): void {
    this.#text += piece;
    if (this.#text.length > MAX_LENGTH) {
      throw new GatewayError("upstream_failed", "The upstream's tool call is too long.");
    }
  }

  get text(): string {
    return this.#text;
  }

  get isEmpty(): boolean {
    return this.#text === "";
  }

  /** Parsed once for a length: fragments of another call may ask many times. */
  isWhole(): boolean {
    if (this.#checkedLength !== this.#text.length) {
      this.#checkedLength = this.#text.length;
      this.#isWhole = this.#text.trimEnd().endsWith("}") && parseJson(this.#text) !== undefined;
    }
    return this.#isWhole;
  }
}
