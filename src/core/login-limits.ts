import { GatewayError } from "./error.ts";

/**
 * Limits of password guessing. An account is slowed down per client address, so
 * that failed logins by an attacker cannot lock the owner out. An address is
 * slowed down overall with wide limits, since many people may share one.
 */
export interface LoginLimiter {
  /**
   * Counts an attempt before it is made, so that concurrent attempts are all
   * counted. Throws `rate_limited`.
   */
  enter(login: string, address: string | undefined): Promise<void>;
  /** The last attempt succeeded. */
  succeeded(login: string, address: string | undefined): void;
}

/** Attempts per account and address before each further attempt has to wait. */
export const FREE_TRIES = 5;
export const FIRST_WAIT_MS = 1_000;
export const LONGEST_WAIT_MS = 15 * 60_000;
/** The counters of an account and address are reset after this time without an attempt. */
export const FORGOTTEN_MS = 3_600_000;
/** Attempts of one address on all accounts: a burst, then one per interval. */
export const ADDRESS_BURST = 50;
export const ADDRESS_EVERY_MS = 10_000;

/** The counters of an account and address, and of the address itself. */
interface LoginLevel {
  /** Attempts since the last success. */
  readonly tries: number;
  readonly lastTryMsAgo: number;
  /** Ms until the address has compensated for its failures. */
  readonly owedMs: number;
}

/** The wait before the next attempt; 0 or less if it is allowed now. */
export function waitFor({ tries, lastTryMsAgo, owedMs }: LoginLevel): number {
  const addressMs = owedMs - (ADDRESS_BURST - 1) * ADDRESS_EVERY_MS;
  if (tries < FREE_TRIES) return addressMs;
  const accountMs = Math.min(FIRST_WAIT_MS * 2 ** (tries - FREE_TRIES), LONGEST_WAIT_MS);
  return Math.max(addressMs, accountMs - lastTryMsAgo);
}

export function tooManyTries(waitMs: number): GatewayError {
  return new GatewayError("rate_limited", "Too many failed logins. Wait before you try again.", {
    retryAfterMs: waitMs,
  });
}

/** IPv6 addresses count per network, because a client has a whole network of them. */
export function networkOf(address = "unknown"): string {
  if (!address.includes(":") || address.includes(".")) return address;
  const [head = "", tail] = address.split("::");
  const first = head.split(":").filter((part) => part !== "");
  const missing = tail === undefined ? 0 : 8 - first.length - tail.split(":").length;
  return [...first, ...Array<string>(Math.max(0, missing)).fill("0")].slice(0, 4).join(":");
}

/** Name of the counter for an account and address. */
export function nameOf(login: string, from: string): string {
  return `${from} ${login.trim().toLowerCase().slice(0, 256)}`;
}
