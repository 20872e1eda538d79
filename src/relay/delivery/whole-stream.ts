import type { Sink } from "#lib/push-stream.ts";
import type { AnswerStream } from "./answer-stream.ts";
import type { WholeReading } from "./whole.ts";

/** A whole answer for a caller who asked for a stream: its first piece is its last. */
export class WholeStream implements AnswerStream {
  readonly #reading: WholeReading;
  readonly isTranslated = false;
  isEnding = false;

  constructor(reading: WholeReading) {
    this.#reading = reading;
  }

  get usage(): WholeReading["usage"] {
    return this.#reading.usage;
  }

  get lost(): readonly string[] {
    return this.#reading.lost;
  }

  async run(take: Sink["write"]): Promise<void> {
    this.isEnding = true;
    await take(this.#reading.body);
  }

  takeOutputText(): string {
    return this.#reading.takeOutputText();
  }

  /** It is all there before anything of it leaves. */
  fail(): string {
    return "";
  }

  close(): void {}
}
