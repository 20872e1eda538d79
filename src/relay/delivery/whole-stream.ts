import type { Sink } from "#lib/push-stream.ts";
import type { AnswerStream } from "./answer-stream.ts";
import type { WholeReading } from "./whole.ts";

/** A non-streaming response for a client that requested a stream: one piece. */
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

  get inputUsage(): WholeReading["inputUsage"] {
    return this.#reading.inputUsage;
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

  /** The response is complete before any part is sent. */
  fail(): string {
    return "";
  }

  close(): void {}
}
