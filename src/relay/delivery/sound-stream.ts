import { GatewayError } from "#core/error.ts";
import type { UpstreamReply } from "#egress/egress.ts";
import type { Sink } from "#lib/push-stream.ts";
import type { AnswerStream } from "./answer-stream.ts";

/**
 * Bytes with no marks of their own, handed on as they come. The last one is
 * held back until the end is known to be one: it leaves when all is paid for.
 */
export class SoundStream implements AnswerStream {
  readonly #reply: UpstreamReply;
  #held: number | undefined;
  readonly usage = undefined;
  readonly lost = [];
  readonly isTranslated = false;
  isEnding = false;

  constructor(reply: UpstreamReply) {
    this.#reply = reply;
  }

  async run(take: Sink["write"]): Promise<void> {
    await this.#reply.pump((piece) => this.#pass(piece, take));
    if (this.#held === undefined) {
      throw new GatewayError("upstream_failed", "The upstream's answer is empty.");
    }
    this.isEnding = true;
    await take(Uint8Array.of(this.#held));
  }

  get waitingBytes(): number {
    return this.#reply.waitingBytes ?? 0;
  }

  takeOutputText(): string {
    return "";
  }

  /** There are no words in it; whoever sends it cuts the connection. */
  fail(): string {
    return "";
  }

  close(): void {
    this.#reply.close();
  }

  #pass(piece: Uint8Array, take: Sink["write"]): void | Promise<void> {
    const last = piece.at(-1);
    if (last === undefined) return undefined;
    const before = this.#held;
    this.#held = last;
    if (before === undefined) return piece.length === 1 ? undefined : take(piece.subarray(0, -1));
    const shifted = new Uint8Array(piece.length);
    shifted[0] = before;
    shifted.set(piece.subarray(0, -1), 1);
    return take(shifted);
  }
}
