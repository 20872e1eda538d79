import { GatewayError } from "#core/error.ts";
import type { UpstreamReply } from "#egress/egress.ts";
import type { Sink } from "#lib/push-stream.ts";
import type { AnswerStream } from "./answer-stream.ts";

/**
 * Binary audio without an end marker, forwarded as it arrives. The last piece is held back until
 * the end is confirmed, and is sent after settlement.
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

  /** Audio has no place for an error; the sender cuts the connection. */
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
