import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "#core/error.ts";
import type { Sink } from "#lib/push-stream.ts";
import { formatSse, SSE_COMMENT } from "#lib/sse.ts";
import type { Following, LiveEntry, LiveLimits, LiveView } from "./live-calls.ts";

interface Source {
  catchUp(reader: LiveReader): Promise<void>;
  leave(reader: LiveReader): void;
}

/** Events that are written at once. */
const AT_ONCE = 64;
/** Time for a client to receive the end. */
const LAST_MS = 1_000;

/** One stream of finished calls. Its client loses calls if it reads too slowly, and is told so. */
export class LiveReader {
  readonly userId: number;
  view: LiveView;
  /** The number up to which no call is missing. */
  position = 0;
  isEnded = false;
  readonly #following: Following;
  readonly #limits: LiveLimits;
  readonly #source: Source;
  readonly #waiting: string[] = [];
  readonly #onAbort = (): void => this.end(undefined);
  #wake = Promise.withResolvers<void>();
  #sink: Sink | undefined;
  #dropped = 0;
  #checkAt: number;
  #writtenAt = performance.now();
  #isKeepAliveDue = false;
  /** Ends the wait for a client that does not read; undefined while none is behind. */
  #stopWriting: (() => void) | undefined;
  #reason: string | undefined;

  constructor(following: Following, limits: LiveLimits, source: Source) {
    this.userId = following.userId;
    this.view = following.view;
    this.#following = following;
    this.#limits = limits;
    this.#source = source;
    this.#checkAt = performance.now() + limits.checkMs;
    following.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Writes the stream until it ends. */
  async fill(sink: Sink): Promise<"end" | "cut"> {
    this.#sink = sink;
    try {
      // The client then has the headers, although no call has ended.
      await this.#write(SSE_COMMENT);
      await this.#source.catchUp(this);
      while (!this.isEnded) {
        await this.flush();
        await this.#wake.promise;
        this.#wake = Promise.withResolvers();
      }
    } catch (cause) {
      this.end(GatewayError.from(cause).message);
    }
    return await this.#sayEnd(sink);
  }

  async #sayEnd(sink: Sink): Promise<"end" | "cut"> {
    // A client that reads nothing would never receive the end.
    if (this.#stopWriting !== undefined || this.#reason === undefined) return "cut";
    const written = sink.write(formatSse(JSON.stringify({ reason: this.#reason }), "end"));
    if (written !== undefined) await Promise.race([written, sleep(LAST_MS)]);
    return "end";
  }

  /** Sets the first position; `end` is the end of the journal. */
  beginAt(end: number): void {
    this.position = Math.min(this.#following.after ?? end, end);
  }

  /** Adds a call, if it is a new one that the client may see. */
  offer(entry: LiveEntry): void {
    if (this.isEnded || entry.seq <= this.position) return;
    this.position = entry.seq;
    if (!this.view.matches(entry.call)) return;
    if (this.#waiting.length >= this.#limits.waiting) {
      this.#dropped += 1;
      return;
    }
    this.#tellDropped();
    const data = formatSse(entry.textFor(this.view.show), "call");
    this.#waiting.push(`id: seq-${entry.seq}\n${data}`);
    this.#wake.resolve();
  }

  /** No call up to this number is to come. */
  skipTo(seq: number): void {
    this.position = Math.max(this.position, seq);
  }

  /** Checks the user's right, and keeps the connection alive. */
  tick(): void {
    const now = performance.now();
    if (now >= this.#checkAt) void this.#check();
    if (now - this.#writtenAt < this.#limits.keepAliveMs) return;
    this.#isKeepAliveDue = true;
    this.#wake.resolve();
  }

  async #check(): Promise<void> {
    this.#checkAt = Infinity;
    try {
      this.view = await this.#following.check();
      this.#checkAt = performance.now() + this.#limits.checkMs;
    } catch (cause) {
      this.end(GatewayError.from(cause).message);
    }
  }

  /** Ends the stream, and tells the client the reason. */
  end(reason: string | undefined): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#reason = reason;
    this.#stopWriting?.();
    this.#wake.resolve();
    this.#following.signal.removeEventListener("abort", this.#onAbort);
    this.#waiting.length = 0;
    this.#source.leave(this);
  }

  /** Writes the events that wait. */
  async flush(): Promise<void> {
    while (!this.isEnded) {
      if (this.#waiting.length === 0) this.#tellDropped();
      const events = this.#waiting.splice(0, AT_ONCE);
      if (events.length === 0) break;
      await this.#write(events.join(""));
    }
    if (!this.#isKeepAliveDue || this.isEnded) return;
    // The position moves on although no call is shown: a client that returns skips the rest.
    await this.#write(`${SSE_COMMENT.trimEnd()}\nid: seq-${this.position}\n\n`);
  }

  #tellDropped(): void {
    if (this.#dropped === 0) return;
    this.#waiting.push(formatSse(JSON.stringify({ count: this.#dropped }), "dropped"));
    this.#dropped = 0;
  }

  async #write(text: string): Promise<void> {
    this.#isKeepAliveDue = false;
    const written = this.#sink?.write(text);
    if (written !== undefined) await this.#untilWritten(written);
    this.#writtenAt = performance.now();
  }

  async #untilWritten(written: Promise<void>): Promise<void> {
    const stopped = Promise.withResolvers<"stopped">();
    this.#stopWriting = () => stopped.resolve("stopped");
    if ((await Promise.race([written, stopped.promise])) === "stopped") return;
    this.#stopWriting = undefined;
  }
}
