import { GatewayError } from "#core/error.ts";
import type { Clock } from "#lib/clock.ts";

/** Tries of one account from one address before each further one has to wait. */
const FREE_TRIES = 5;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** An account and address that did not try for this long begin anew. */
const FORGOTTEN_MS = 3_600_000;
/** What one address may try on all accounts together: at once, and then one at a time. */
const ADDRESS_BURST = 50;
const ADDRESS_EVERY_MS = 10_000;
const MAX_ENTRIES = 20_000;

interface Tries {
  count: number;
  /** Monotonic ms. */
  lastAt: number;
}

/**
 * How often a password may be guessed. An account is slowed down for one
 * address at a time, so that nobody can lock its owner out by failing on
 * purpose; an address is slowed down on the whole, in wide bounds, since many
 * people may share one.
 */
export class LoginLimits {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #tries = new Map<string, Tries>();
  /** When an address will have made up for its failures. */
  readonly #paidAt = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Counts a try before it is made, so that many at once are many. Throws `rate_limited`. */
  enter(login: string, address: string | undefined): void {
    const now = this.#clock.monotonic();
    const from = networkOf(address);
    const waitMs = Math.max(this.#accountWait(login, from, now), this.#addressWait(from, now));
    if (waitMs > 0) {
      throw new GatewayError("rate_limited", "Too many failed logins. Wait, and try again.", {
        retryAfterMs: waitMs,
      });
    }
    const name = nameOf(login, from);
    const before = this.#tries.get(name);
    const isRecent = before !== undefined && now - before.lastAt < FORGOTTEN_MS;
    put(this.#tries, name, { count: isRecent ? before.count + 1 : 1, lastAt: now });
    put(this.#paidAt, from, Math.max(this.#paidAt.get(from) ?? 0, now) + ADDRESS_EVERY_MS);
  }

  /** The last try was no guess. */
  succeeded(login: string, address: string | undefined): void {
    const from = networkOf(address);
    this.#tries.delete(nameOf(login, from));
    const paidAt = this.#paidAt.get(from);
    if (paidAt !== undefined) this.#paidAt.set(from, paidAt - ADDRESS_EVERY_MS);
  }

  #accountWait(login: string, from: string, now: number): number {
    const tries = this.#tries.get(nameOf(login, from));
    if (tries === undefined || tries.count < FREE_TRIES) return 0;
    const waitMs = FIRST_WAIT_MS * 2 ** (tries.count - FREE_TRIES);
    return tries.lastAt + Math.min(waitMs, LONGEST_WAIT_MS) - now;
  }

  #addressWait(from: string, now: number): number {
    const aheadMs = (this.#paidAt.get(from) ?? 0) - now;
    return aheadMs - (ADDRESS_BURST - 1) * ADDRESS_EVERY_MS;
  }
}

/** Whoever has one IPv6 address has all of its network. */
export function networkOf(address = "unknown"): string {
  if (!address.includes(":") || address.includes(".")) return address;
  const [head = "", tail] = address.split("::");
  const first = head.split(":").filter((part) => part !== "");
  const missing = tail === undefined ? 0 : 8 - first.length - tail.split(":").length;
  return [...first, ...Array<string>(Math.max(0, missing)).fill("0")].slice(0, 4).join(":");
}

function nameOf(login: string, from: string): string {
  return `${from} ${login.trim().toLowerCase().slice(0, 256)}`;
}

/** The entry that was not touched for longest gives way. */
function put<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name);
  if (map.size >= MAX_ENTRIES) {
    const [oldest] = map.keys();
    if (oldest !== undefined) map.delete(oldest);
  }
  map.set(name, value);
}
