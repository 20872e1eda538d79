import { Buffer } from "node:buffer";
import type { Citation } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";

const MAX_CITATIONS = 1_000;
/** Beyond this much text in one block citations have no places. */
const MAX_CITED_LENGTH = 4 * 1_024 * 1_024;

/** Gathers an answer's citations into grounding metadata, whose places are bytes of all its text. */
export class Grounding {
  readonly #sources = new Map<string, number>();
  readonly #chunks: JsonObject[] = [];
  readonly #supports: JsonObject[] = [];
  /** Of the blocks before, and of the open one. */
  #bytesBefore = 0;
  #bytes = 0;
  #text = "";

  say(text: string): void {
    this.#bytes += Buffer.byteLength(text);
    if (this.#text.length < MAX_CITED_LENGTH) this.#text += text;
  }

  endBlock(): void {
    this.#bytesBefore += this.#bytes;
    this.#bytes = 0;
    this.#text = "";
  }

  /** Its place counts from the beginning of the open block. */
  cite({ url, title, start, end }: Citation): void {
    if (this.#supports.length >= MAX_CITATIONS || this.#chunks.length >= MAX_CITATIONS) return;
    const index = this.#indexOf(url, title);
    if (start === undefined || end === undefined) return;
    if (end <= start || end > this.#text.length) return;
    const words = this.#text.slice(start, end);
    const startIndex = this.#bytesBefore + Buffer.byteLength(this.#text.slice(0, start));
    const segment = { startIndex, endIndex: startIndex + Buffer.byteLength(words), text: words };
    this.#supports.push({ segment, groundingChunkIndices: [index] });
  }

  /** `undefined` where nothing was cited. */
  get metadata(): JsonObject | undefined {
    if (this.#chunks.length === 0) return undefined;
    return { groundingChunks: this.#chunks, groundingSupports: this.#supports };
  }

  #indexOf(url: string, title: string | undefined): number {
    const known = this.#sources.get(url);
    if (known !== undefined) return known;
    this.#sources.set(url, this.#chunks.length);
    this.#chunks.push({ web: defined({ uri: url, title }) });
    return this.#chunks.length - 1;
  }
}
