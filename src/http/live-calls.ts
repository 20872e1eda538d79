import { setTimeout as sleep } from "node:timers/promises";
import type { CallLog, CallNames, CallRecord, JournalEntry } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { LiveReader } from "./live-reader.ts";

/** The calls that a reader sees, and their form. */
export interface LiveView {
  matches(call: CallRecord): boolean;
  readonly show: (call: CallRecord, names: CallNames) => JsonObject;
}

export interface Following {
  readonly userId: number;
  /** The number of the last call that the client has; undefined for later calls only. */
  readonly after: number | undefined;
  readonly view: LiveView;
  /** The view that the user has now; throws if the login has ended or the right is lost. */
  check(): Promise<LiveView>;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface LiveLimits {
  readonly streams: number;
  readonly streamsOfUser: number;
  /** Events that wait for one slow client. */
  readonly waiting: number;
  readonly pollMs: number;
  readonly checkMs: number;
  readonly keepAliveMs: number;
}

const LIMITS: LiveLimits = {
  streams: 100,
  streamsOfUser: 10,
  waiting: 1_000,
  pollMs: 1_000,
  checkMs: 2_000,
  keepAliveMs: 15_000,
};

/** Calls that are read at once: on SQLite, requests wait meanwhile. */
const BATCH = 200;
/** Between two batches of old calls. */
const PAUSE_MS = 20;

interface LiveDeps {
  readonly calls: Pick<CallLog, "tail" | "namesOf">;
  onError(cause: unknown): void;
}

/**
 * Streams of finished calls. One poll of the journal serves all of them, so the calls of every
 * gateway of the database arrive once and in order. Without a stream nothing is polled.
 */
export class LiveCalls {
  readonly #deps: LiveDeps;
  readonly #limits: LiveLimits;
  readonly #open = new Set<LiveReader>();
  /** Readers that have every call up to the last poll. */
  readonly #joined = new Set<LiveReader>();
  /** The last number that was polled; undefined while no reader has joined. */
  #last: number | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isPolling = false;
  #isDraining = false;

  constructor(deps: LiveDeps, limits: Partial<LiveLimits> = {}) {
    this.#deps = deps;
    this.#limits = { ...LIMITS, ...limits };
  }

  get size(): number {
    return this.#open.size;
  }

  /** Throws if the limit of open streams is reached. The reader must be filled or closed. */
  open(following: Following): LiveReader {
    this.#refuseMore(following.userId);
    const reader = new LiveReader(following, this.#limits, {
      catchUp: (each) => this.#catchUp(each),
      leave: (each) => this.#leave(each),
    });
    this.#open.add(reader);
    this.#timer ??= setInterval(() => this.#tick(), this.#limits.pollMs);
    if (following.signal.aborted) reader.end(undefined);
    return reader;
  }

  /** Ends all streams, and refuses new ones. */
  drain(): void {
    this.#isDraining = true;
    for (const reader of this.#open) reader.end("The gateway is shutting down.");
  }

  #refuseMore(userId: number): void {
    if (this.#isDraining) throw new GatewayError("unavailable", "The gateway is shutting down.");
    const own = [...this.#open].filter((each) => each.userId === userId).length;
    if (own < this.#limits.streamsOfUser && this.#open.size < this.#limits.streams) return;
    throw new GatewayError(
      "rate_limited",
      "Too many streams of calls are open. Close one, or retry later.",
      { retryAfterMs: this.#limits.checkMs },
    );
  }

  #leave(reader: LiveReader): void {
    this.#open.delete(reader);
    this.#joined.delete(reader);
    if (this.#joined.size === 0) this.#last = undefined;
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    for (const reader of this.#open) reader.tick();
    if (!this.#isPolling) void this.#poll();
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    try {
      while (this.#last !== undefined && (await this.#pollFrom(this.#last)) === BATCH);
    } catch (cause) {
      this.#deps.onError(cause);
    } finally {
      this.#isPolling = false;
    }
  }

  async #pollFrom(after: number): Promise<number> {
    const { entries, last } = await this.#deps.calls.tail(after, BATCH);
    const isSeen = entries.some(({ call }) =>
      [...this.#joined].some(({ view }) => view.matches(call)),
    );
    const shown = isSeen ? await this.#describe(entries) : [];
    // Without a wait from here on: a reader that joins now has a number up to which it has all.
    if (this.#last === undefined) return 0;
    this.#last = Math.max(this.#last, last ?? after);
    for (const reader of this.#joined) {
      for (const entry of shown) reader.offer(entry);
      reader.skipTo(last ?? after);
    }
    return entries.length;
  }

  /** Sends the calls that ended before, at the client's pace, and then joins the others. */
  async #catchUp(reader: LiveReader): Promise<void> {
    try {
      await this.#begin(reader);
      await this.#continue(reader);
    } catch (cause) {
      this.#deps.onError(cause);
      throw cause;
    }
  }

  async #continue(reader: LiveReader): Promise<void> {
    while (!reader.isEnded) {
      const from = reader.position;
      const { entries, last = from } = await this.#deps.calls.tail(from, BATCH);
      const isSeen = entries.some(({ call }) => reader.view.matches(call));
      for (const entry of isSeen ? await this.#describe(entries) : []) reader.offer(entry);
      reader.skipTo(last);
      if (entries.length < BATCH && last >= (this.#last ?? last)) return this.#join(reader, last);
      await reader.flush();
      await sleep(PAUSE_MS);
    }
  }

  /** No client begins after the end: it would miss the next calls. */
  async #begin(reader: LiveReader): Promise<void> {
    while (!reader.isEnded) {
      const { last } = await this.#deps.calls.tail(undefined, 1);
      if (last !== undefined) return reader.beginAt(last);
      await sleep(this.#limits.pollMs);
    }
  }

  #join(reader: LiveReader, last: number): void {
    if (reader.isEnded) return;
    this.#last ??= last;
    this.#joined.add(reader);
  }

  async #describe(entries: readonly JournalEntry[]): Promise<readonly LiveEntry[]> {
    const names = await this.#deps.calls.namesOf(entries.map(({ call }) => call));
    return entries.map((entry) => new LiveEntry(entry, names));
  }
}

/** A call; its text is written once for all readers that see it in the same form. */
export class LiveEntry {
  readonly seq: number;
  readonly call: CallRecord;
  readonly #names: CallNames;
  readonly #texts = new Map<LiveView["show"], string>();

  constructor({ seq, call }: JournalEntry, names: CallNames) {
    this.seq = seq;
    this.call = call;
    this.#names = names;
  }

  textFor(show: LiveView["show"]): string {
    let text = this.#texts.get(show);
    if (text === undefined) {
      text = JSON.stringify(show(this.call, this.#names));
      this.#texts.set(show, text);
    }
    return text;
  }
}
