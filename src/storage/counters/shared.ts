import type { Bound, RateReservation, RateLimiter, Verdict } from "#core/limits.ts";
import { rule, verdictOf, type Level } from "#core/pace.ts";
import { digestOf } from "../secrets/secrets.ts";
import { Link, type LinkOptions } from "./link.ts";
import { scriptsOn, type Scripts } from "./scripts.ts";

export interface SharedOptions extends LinkOptions {
  /** Decides while the server is unreachable. */
  readonly local: RateLimiter;
  /** Prefix of all keys, from `prefixOf`. */
  readonly prefix: string;
  readonly scripts?: Scripts;
  readonly leaseMs?: number;
}

/** The slots of a dead gateway are released after this time. */
const LEASE_MS = 60_000;
/** Slots renewed per command. */
const BATCH = 500;

/**
 * Equal for gateways that share a secret, and so a database, and different for
 * all others. Key ids are small numbers that other users of the server may have
 * too.
 */
export function prefixOf(pepper: Uint8Array): string {
  return `sluice:${digestOf("rate limits", pepper).slice(0, 16)}:`;
}

/**
 * The rate limiter on a server that several gateways share. A call waits only
 * briefly for it: if the server does not answer, this process decides alone
 * until it does.
 */
export class SharedLimiter implements RateLimiter, Disposable {
  readonly #options: SharedOptions;
  readonly #scripts: Scripts;
  readonly #link: Link;
  readonly #prefix: string;
  readonly #leaseMs: number;
  /** Reservations that were decided locally. */
  readonly #local = new WeakSet<RateReservation>();
  /** Slots that are held on the server. */
  readonly #held = new Map<RateReservation, readonly string[]>();
  readonly #renewal: ReturnType<typeof setInterval>;

  private constructor(options: SharedOptions, scripts: Scripts, link: Link) {
    this.#options = options;
    this.#scripts = scripts;
    this.#link = link;
    // Braces keep all keys in one slot of a cluster.
    this.#prefix = `${options.prefix}{rate}:`;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    this.#renewal = setInterval(() => this.#renew(), this.#leaseMs / 3);
    this.#renewal.unref();
  }

  /** An unreachable server does not prevent the start. */
  static async open(options: SharedOptions): Promise<SharedLimiter> {
    const scripts = options.scripts ?? scriptsOn();
    const link = await Link.open(options, Object.values(scripts));
    return new SharedLimiter(options, scripts, link);
  }

  /** True while the server decides. */
  get isShared(): boolean {
    return this.#link.isUp;
  }

  /** Notices a lost server without a call; `isShared` shows it a little later. */
  probe(): void {
    this.#link.probe();
  }

  take(reservation: RateReservation): Verdict | Promise<Verdict> {
    return this.#link.isUp ? this.#takeThere(reservation) : this.#takeHere(reservation);
  }

  async peek(bounds: readonly Bound[]): Promise<Verdict> {
    const levels = this.#link.isUp ? await this.#levels(bounds, "", 0) : undefined;
    if (levels === undefined) return await this.#options.local.peek(bounds);
    return verdictOf(bounds, rule(bounds, levels));
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
    const levels = await this.#levels(bounds, id, this.#leaseMs);
    if (levels === undefined) return this.#takeHere(reservation);
    // The script applies the same rule and returns the levels from before; the
    // verdict follows from them.
    const ruling = rule(bounds, levels);
    if (ruling.refusal === undefined) this.#hold(reservation);
    return verdictOf(bounds, ruling);
  }

  /** The levels before; a lease of 0 takes nothing. Undefined if the server does not answer. */
  async #levels(
    bounds: readonly Bound[],
    id: string,
    leaseMs: number,
  ): Promise<readonly Level[] | undefined> {
    const keys = bounds.flatMap((bound) => [this.#levelKey(bound.id), this.#placesKey(bound.id)]);
    const args = [id, String(leaseMs), ...bounds.flatMap(numbersOf)];
    return await this.#link.ask(this.#scripts.take, keys, args, (reply) =>
      readLevels(reply, bounds.length),
    );
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
    throw new Error("The counter server returned an unexpected reply.");
  }
  return Array.from({ length: count }, (_, index) => {
    const [requestsMs = 0, tokensMs = 0, running = 0] = numbers.slice(index * 3);
    return { requestsMs, tokensMs, running };
  });
}
