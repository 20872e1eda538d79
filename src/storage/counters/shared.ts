import type { Bound, RateReservation, RateLimiter, Verdict } from "#core/limits.ts";
import { rule, verdictOf, type Level } from "#core/pace.ts";
import { digestOf } from "../secrets/secrets.ts";
import { Link, type LinkOptions } from "./link.ts";
import { scriptsOn, type Scripts } from "./scripts.ts";

export interface SharedOptions extends LinkOptions {
  /** Decides while the server cannot be reached. */
  readonly local: RateLimiter;
  /** Before all keys; from `prefixOf`. */
  readonly prefix: string;
  readonly scripts?: Scripts;
  readonly leaseMs?: number;
}

/** Places of a gateway that died are free again after this long. */
const LEASE_MS = 60_000;
/** Places renewed in one step. */
const BATCH = 500;

/**
 * The same for gateways that share a secret, and so a database, and no one
 * else's: ids of keys are small numbers, and others on the server have them too.
 */
export function prefixOf(pepper: Uint8Array): string {
  return `sluice:${digestOf("rate limits", pepper).slice(0, 16)}:`;
}

/**
 * Decides on a server that several gateways share. No call waits for it long:
 * where it does not answer, this process decides for itself until it does.
 */
export class SharedLimiter implements RateLimiter, Disposable {
  readonly #options: SharedOptions;
  readonly #scripts: Scripts;
  readonly #link: Link;
  readonly #prefix: string;
  readonly #leaseMs: number;
  /** Claims that were decided here. */
  readonly #local = new WeakSet<RateReservation>();
  /** Places that are held there. */
  readonly #held = new Map<RateReservation, readonly string[]>();
  readonly #renewal: ReturnType<typeof setInterval>;

  private constructor(options: SharedOptions, scripts: Scripts, link: Link) {
    this.#options = options;
    this.#scripts = scripts;
    this.#link = link;
    // Braces keep all of it in one slot of a cluster.
    this.#prefix = `${options.prefix}{rate}:`;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    this.#renewal = setInterval(() => this.#renew(), this.#leaseMs / 3);
    this.#renewal.unref();
  }

  /** A server that cannot be reached yet is no reason not to start. */
  static async open(options: SharedOptions): Promise<SharedLimiter> {
    const scripts = options.scripts ?? scriptsOn();
    const link = await Link.open(options, Object.values(scripts));
    return new SharedLimiter(options, scripts, link);
  }

  /** The server is being asked. */
  get isShared(): boolean {
    return this.#link.isUp;
  }

  take(reservation: RateReservation): Verdict | Promise<Verdict> {
    return this.#link.isUp ? this.#takeThere(reservation) : this.#takeHere(reservation);
  }

  correct(reservation: RateReservation, usedTokens: number): void {
    if (this.#local.has(reservation)) {
      this.#options.local.correct(reservation, usedTokens);
      return;
    }
    const keys: string[] = [];
    const args: string[] = [];
    for (const { id, limits, tokens } of reservation.bounds) {
      if (limits.tokensPerMinute === undefined || tokens === usedTokens) continue;
      keys.push(this.#levelKey(id));
      args.push(String(limits.tokensPerMinute), String(usedTokens - tokens));
    }
    if (keys.length > 0) this.#link.tell(this.#scripts.correct, keys, args);
  }

  release(reservation: RateReservation): void {
    this.#options.local.release(reservation);
    const places = this.#held.get(reservation);
    if (places === undefined) return;
    this.#held.delete(reservation);
    this.#link.tell(this.#scripts.release, places, [reservation.id]);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#renewal);
    this.#link[Symbol.dispose]();
  }

  #takeHere(reservation: RateReservation): Verdict | Promise<Verdict> {
    this.#local.add(reservation);
    return this.#options.local.take(reservation);
  }

  async #takeThere(reservation: RateReservation): Promise<Verdict> {
    const { id, bounds } = reservation;
    const keys = bounds.flatMap((bound) => [this.#levelKey(bound.id), this.#placesKey(bound.id)]);
    const args = [id, String(this.#leaseMs), ...bounds.flatMap(numbersOf)];
    const levels = await this.#link.ask(this.#scripts.take, keys, args, (reply) =>
      readLevels(reply, bounds.length),
    );
    if (levels === undefined) return this.#takeHere(reservation);
    // The script decides by the same rule; what stood before says how.
    const ruling = rule(bounds, levels);
    if (ruling.refusal === undefined) this.#hold(reservation);
    return verdictOf(bounds, ruling);
  }

  #hold(reservation: RateReservation): void {
    const limited = reservation.bounds.filter(({ limits }) => limits.concurrency !== undefined);
    if (limited.length === 0) return;
    this.#held.set(
      reservation,
      limited.map((bound) => this.#placesKey(bound.id)),
    );
  }

  #renew(): void {
    const held = [...this.#held].flatMap(([{ id }, keys]) => keys.map((key) => [key, id] as const));
    for (let i = 0; i < held.length; i += BATCH) {
      const batch = held.slice(i, i + BATCH);
      const ids = batch.map(([, id]) => id);
      const keys = batch.map(([key]) => key);
      this.#link.tell(this.#scripts.renew, keys, [String(this.#leaseMs), ...ids]);
    }
  }

  #levelKey(id: string): string {
    return `${this.#prefix}${id}:level`;
  }

  #placesKey(id: string): string {
    return `${this.#prefix}${id}:places`;
  }
}

function numbersOf({ limits, tokens }: Bound): string[] {
  const { requestsPerMinute = -1, tokensPerMinute = -1, concurrency = -1 } = limits;
  return [requestsPerMinute, tokensPerMinute, concurrency, tokens].map(String);
}

function readLevels(reply: unknown, count: number): readonly Level[] {
  const numbers = Array.isArray(reply) ? reply.map(Number) : [];
  if (numbers.length !== count * 3 || numbers.some(Number.isNaN)) {
    throw new Error("The counters' answer is not what the script returns.");
  }
  return Array.from({ length: count }, (_, index) => {
    const [requestsMs = 0, tokensMs = 0, running = 0] = numbers.slice(index * 3);
    return { requestsMs, tokensMs, running };
  });
}
