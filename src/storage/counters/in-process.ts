import type { Bound, RateReservation, RateLimiter, Verdict } from "#core/limits.ts";
import { ahead, rule, verdictOf, type Level, type Ruling } from "#core/pace.ts";
import type { Clock } from "#lib/clock.ts";

/** The state of one owner with limits. */
interface Entry {
  /** Monotonic ms at which everything taken is earned back. */
  requestsAt: number;
  tokensAt: number;
  /** Ids of the reservations that hold a concurrency slot. */
  readonly running: Set<string>;
}

const MAX_ENTRIES = 200_000;
/** Entries checked per new entry, so that idle ones are dropped before their number doubles. */
const SWEEP_STEPS = 2;

/** The rate limiter of a single process. Idle entries are dropped. */
export class InProcessLimiter implements RateLimiter {
  readonly #clock: Clock;
  readonly #maxEntries: number;
  readonly #entries = new Map<string, Entry>();
  #hand: Iterator<[string, Entry]> | undefined;

  constructor(clock: Clock, maxEntries = MAX_ENTRIES) {
    this.#clock = clock;
    this.#maxEntries = maxEntries;
  }

  get size(): number {
    return this.#entries.size;
  }

  take({ id, bounds }: RateReservation): Verdict {
    const now = this.#clock.monotonic();
    const ruling = this.#rule(bounds, now);
    if (ruling.refusal !== undefined) return verdictOf(bounds, ruling);

    let index = 0;
    for (const bound of bounds) {
      const level = ruling.levels[index++];
      if (level === undefined) continue;
      const entry = this.#entries.get(bound.id) ?? this.#add(bound.id, now);
      entry.requestsAt = now + level.requestsMs;
      entry.tokensAt = now + level.tokensMs;
      if (bound.limits.concurrency !== undefined) entry.running.add(id);
    }
    return verdictOf(bounds, ruling);
  }

  correct({ bounds }: RateReservation, usedTokens: number): void {
    const now = this.#clock.monotonic();
    for (const { id, limits, tokens } of bounds) {
      const { tokensPerMinute } = limits;
      if (tokensPerMinute === undefined || usedTokens === tokens) continue;
      const owed = usedTokens - tokens;
      const entry = this.#entries.get(id) ?? (owed > 0 ? this.#add(id, now) : undefined);
      if (entry === undefined) continue;
      entry.tokensAt = now + ahead(entry.tokensAt - now, owed, tokensPerMinute);
    }
  }

  release({ id, bounds }: RateReservation): void {
    for (const bound of bounds) this.#entries.get(bound.id)?.running.delete(id);
  }

  peek(bounds: readonly Bound[]): Verdict {
    return verdictOf(bounds, this.#rule(bounds, this.#clock.monotonic()));
  }

  #rule(bounds: readonly Bound[], now: number): Ruling {
    const levels: Level[] = [];
    for (const { id } of bounds) levels.push(levelOf(this.#entries.get(id), now));
    return rule(bounds, levels);
  }

  #add(id: string, now: number): Entry {
    this.#sweep(now);
    const entry: Entry = { requestsAt: now, tokensAt: now, running: new Set() };
    this.#entries.set(id, entry);
    return entry;
  }

  /**
   * Checks a few entries per call, in rotation, and drops those without state.
   * If the map is full of active entries, it drops the current one unless it
   * has running calls.
   */
  #sweep(now: number): void {
    for (let look = 0; look < SWEEP_STEPS; look++) {
      this.#hand ??= this.#entries.entries();
      const next = this.#hand.next();
      if (next.done === true) {
        this.#hand = undefined;
        continue;
      }
      const [id, { requestsAt, tokensAt, running }] = next.value;
      const isIdle = requestsAt <= now && tokensAt <= now;
      const isFull = this.#entries.size >= this.#maxEntries;
      if (running.size === 0 && (isIdle || isFull)) this.#entries.delete(id);
    }
  }
}

function levelOf(entry: Entry | undefined, now: number): Level {
  if (entry === undefined) return { requestsMs: 0, tokensMs: 0, running: 0 };
  return {
    requestsMs: Math.max(0, entry.requestsAt - now),
    tokensMs: Math.max(0, entry.tokensAt - now),
    running: entry.running.size,
  };
}
