import type { Bound, Claim, RateLimiter, Verdict } from "#core/limits.ts";
import { rule, verdictOf, type Level } from "#core/pace.ts";
import type { Deadlines } from "#lib/deadlines.ts";
import { connect, type Connection } from "./connection.ts";
import { digestOf } from "../secrets.ts";
import { scriptsOn, type Script, type Scripts } from "./scripts.ts";

export interface SharedOptions {
  /** Of a Valkey or Redis server; `rediss://` is encrypted. */
  readonly url: string;
  /** Decides while the server cannot be reached. */
  readonly local: RateLimiter;
  readonly deadlines: Deadlines;
  /** The server cannot be reached from here on; told again only after it could. */
  onDown(cause: unknown): void;
  onUp(): void;
  /** Before all keys; from `prefixOf`. */
  readonly prefix: string;
  readonly scripts?: Scripts;
  readonly leaseMs?: number;
  /** Until the first try to reach the server again; each further one waits twice as long. */
  readonly redialMs?: number;
}

/** Places of a gateway that died are free again after this long. */
const LEASE_MS = 60_000;
const REDIAL_MS = 1_000;
const LAST_REDIAL_MS = 30_000;
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
  readonly #prefix: string;
  readonly #leaseMs: number;
  /** Claims that were decided here. */
  readonly #local = new WeakSet<Claim>();
  /** Places that are held there. */
  readonly #held = new Map<Claim, readonly string[]>();
  readonly #renewal: ReturnType<typeof setInterval>;
  #connection: Connection | undefined;
  #redial: ReturnType<typeof setTimeout> | undefined;
  #redialMs: number;
  #isToldDown = false;
  #isClosed = false;

  private constructor(options: SharedOptions) {
    this.#options = options;
    this.#scripts = options.scripts ?? scriptsOn();
    // Braces keep all of it in one slot of a cluster.
    this.#prefix = `${options.prefix}{rate}:`;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    this.#redialMs = options.redialMs ?? REDIAL_MS;
    this.#renewal = setInterval(() => this.#renew(), this.#leaseMs / 3);
    this.#renewal.unref();
  }

  /** A server that cannot be reached yet is no reason not to start. */
  static async open(options: SharedOptions): Promise<SharedLimiter> {
    const limiter = new SharedLimiter(options);
    await limiter.#dial();
    return limiter;
  }

  /** The server is being asked. */
  get isShared(): boolean {
    return this.#connection !== undefined;
  }

  take(claim: Claim): Verdict | Promise<Verdict> {
    return this.#connection === undefined
      ? this.#takeHere(claim)
      : this.#takeThere(claim, this.#connection);
  }

  correct(claim: Claim, usedTokens: number): void {
    if (this.#local.has(claim)) {
      this.#options.local.correct(claim, usedTokens);
      return;
    }
    const keys: string[] = [];
    const args: string[] = [];
    for (const { id, limits, tokens } of claim.bounds) {
      if (limits.tokensPerMinute === undefined || tokens === usedTokens) continue;
      keys.push(this.#levelKey(id));
      args.push(String(limits.tokensPerMinute), String(usedTokens - tokens));
    }
    if (keys.length > 0) this.#tell(this.#scripts.correct, keys, args);
  }

  release(claim: Claim): void {
    this.#options.local.release(claim);
    const places = this.#held.get(claim);
    if (places === undefined) return;
    this.#held.delete(claim);
    this.#tell(this.#scripts.release, places, [claim.id]);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearInterval(this.#renewal);
    clearTimeout(this.#redial);
    this.#connection?.close();
    this.#connection = undefined;
  }

  #takeHere(claim: Claim): Verdict | Promise<Verdict> {
    this.#local.add(claim);
    return this.#options.local.take(claim);
  }

  async #takeThere(claim: Claim, connection: Connection): Promise<Verdict> {
    const { id, bounds } = claim;
    const keys = bounds.flatMap((bound) => [this.#levelKey(bound.id), this.#placesKey(bound.id)]);
    const args = [id, String(this.#leaseMs), ...bounds.flatMap(numbersOf)];
    try {
      const reply = await connection.run(this.#scripts.take, keys, args);
      this.#redialMs = this.#options.redialMs ?? REDIAL_MS;
      // The script decides by the same rule; what stood before says how.
      const ruling = rule(bounds, readLevels(reply, bounds.length));
      if (ruling.refusal === undefined) this.#hold(claim);
      return verdictOf(bounds, ruling);
    } catch (cause) {
      this.#lost(connection, cause);
      return this.#takeHere(claim);
    }
  }

  #hold(claim: Claim): void {
    const limited = claim.bounds.filter(({ limits }) => limits.concurrency !== undefined);
    if (limited.length === 0) return;
    this.#held.set(
      claim,
      limited.map((bound) => this.#placesKey(bound.id)),
    );
  }

  /** Nobody waits for the answer: what is lost with the connection expires there. */
  #tell(script: Script, keys: readonly string[], args: readonly string[]): void {
    const connection = this.#connection;
    connection?.run(script, keys, args).catch((cause: unknown) => this.#lost(connection, cause));
  }

  #renew(): void {
    const held = [...this.#held].flatMap(([{ id }, keys]) => keys.map((key) => [key, id] as const));
    for (let i = 0; i < held.length; i += BATCH) {
      const batch = held.slice(i, i + BATCH);
      const ids = batch.map(([, id]) => id);
      const keys = batch.map(([key]) => key);
      this.#tell(this.#scripts.renew, keys, [String(this.#leaseMs), ...ids]);
    }
  }

  async #dial(): Promise<void> {
    const { url, deadlines, onUp } = this.#options;
    try {
      const connection = await connect(url, this.#scripts, deadlines);
      if (this.#isClosed) {
        connection.close();
        return;
      }
      this.#connection = connection;
      if (this.#isToldDown) onUp();
      this.#isToldDown = false;
    } catch (cause) {
      this.#down(cause);
    }
  }

  /** Many calls may find out at once. */
  #lost(connection: Connection, cause: unknown): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    connection.close();
    this.#down(cause);
  }

  #down(cause: unknown): void {
    if (this.#isClosed) return;
    if (!this.#isToldDown) this.#options.onDown(cause);
    this.#isToldDown = true;
    this.#redial = setTimeout(() => void this.#dial(), this.#redialMs);
    this.#redial.unref();
    this.#redialMs = Math.min(this.#redialMs * 2, LAST_REDIAL_MS);
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
