import {
  ADDRESS_EVERY_MS,
  FORGOTTEN_MS,
  nameOf,
  networkOf,
  tooManyTries,
  waitFor,
  type LoginLimiter,
} from "#core/login-limits.ts";
import type { Clock } from "#lib/clock.ts";

const MAX_ENTRIES = 20_000;

interface Tries {
  readonly count: number;
  /** Monotonic ms. */
  readonly lastAt: number;
}

/** The login limiter of a single process. */
export class InProcessLogins implements LoginLimiter {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #tries = new Map<string, Tries>();
  /** When an address has compensated for its failures. */
  readonly #paidAt = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  async enter(login: string, address: string | undefined): Promise<void> {
    const now = this.#clock.monotonic();
    const from = networkOf(address);
    const name = nameOf(login, from);
    const found = this.#tries.get(name);
    const isRecent = found !== undefined && now - found.lastAt < FORGOTTEN_MS;
    const tries = isRecent ? found.count : 0;
    const owedMs = Math.max(0, (this.#paidAt.get(from) ?? 0) - now);
    const waitMs = waitFor({ tries, lastTryMsAgo: isRecent ? now - found.lastAt : 0, owedMs });
    if (waitMs > 0) throw tooManyTries(waitMs);

    put(this.#tries, name, { count: tries + 1, lastAt: now });
    put(this.#paidAt, from, now + owedMs + ADDRESS_EVERY_MS);
  }

  succeeded(login: string, address: string | undefined): void {
    const from = networkOf(address);
    this.#tries.delete(nameOf(login, from));
    const paidAt = this.#paidAt.get(from);
    if (paidAt !== undefined) this.#paidAt.set(from, paidAt - ADDRESS_EVERY_MS);
  }
}

/** Evicts the least recently used entry. */
function put<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name);
  if (map.size >= MAX_ENTRIES) {
    const [oldest] = map.keys();
    if (oldest !== undefined) map.delete(oldest);
  }
  map.set(name, value);
}
