import { GatewayError } from "./error.ts";

/**
 * How often a password may be guessed. An account is slowed down for one
 * address at a time, so that nobody can lock its owner out by failing on
 * purpose; an address is slowed down on the whole, in wide bounds, since many
 * people may share one.
 */
export interface LoginLimiter {
  /** Counts a try before it is made, so that many at once are many. Throws `rate_limited`. */
  enter(login: string, address: string | undefined): Promise<void>;
  /** The last try was no guess. */
  succeeded(login: string, address: string | undefined): void;
}

/** Tries of one account from one address before each further one has to wait. */
export const FREE_TRIES = 5;
export const FIRST_WAIT_MS = 1_000;
export const LONGEST_WAIT_MS = 15 * 60_000;
/** An account and address that did not try for this long begin anew. */
export const FORGOTTEN_MS = 3_600_000;
/** What one address may try on all accounts together: at once, and then one at a time. */
export const ADDRESS_BURST = 50;
export const ADDRESS_EVERY_MS = 10_000;

/** Where an account stands for an address, and an address for itself. */
interface LoginLevel {
  /** Since the last success. */
  readonly tries: number;
  readonly lastTryMsAgo: number;
  /** Until the address will have made up for its failures. */
  readonly owedMs: number;
}

/** How long the next try has to wait; 0 or less where it may be made. */
export function waitFor({ tries, lastTryMsAgo, owedMs }: LoginLevel): number {
  const addressMs = owedMs - (ADDRESS_BURST - 1) * ADDRESS_EVERY_MS;
  if (tries < FREE_TRIES) return addressMs;
  const accountMs = Math.min(FIRST_WAIT_MS * 2 ** (tries - FREE_TRIES), LONGEST_WAIT_MS);
  return Math.max(addressMs, accountMs - lastTryMsAgo);
}

export function tooManyTries(waitMs: number): GatewayError {
  return new GatewayError("rate_limited", "Too many failed logins. Wait, and try again.", {
    retryAfterMs: waitMs,
  });
}

/** Whoever has one IPv6 address has all of its network. */
export function networkOf(address = "unknown"): string {
  if (!address.includes(":") || address.includes(".")) return address;
  const [head = "", tail] = address.split("::");
  const first = head.split(":").filter((part) => part !== "");
  const missing = tail === undefined ? 0 : 8 - first.length - tail.split(":").length;
  return [...first, ...Array<string>(Math.max(0, missing)).fill("0")].slice(0, 4).join(":");
}

/** Of an account for an address. */
export function nameOf(login: string, from: string): string {
  return `${from} ${login.trim().toLowerCase().slice(0, 256)}`;
}
