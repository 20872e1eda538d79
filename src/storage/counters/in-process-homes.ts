import { HOME_MS, type ReasoningHome, type ReasoningHomes } from "#core/reasoning-home.ts";
import type { Clock } from "#lib/clock.ts";

const MAX_ENTRIES = 50_000;

interface Entry {
  readonly home: ReasoningHome;
  /** Monotonic ms. */
  readonly endsAt: number;
}

/** Stores homes in this process. The oldest entry is evicted. */
export class InProcessHomes implements ReasoningHomes {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  find(digests: readonly string[]): ReasoningHome | undefined {
    const now = this.#clock.monotonic();
    for (const digest of digests) {
      const entry = this.#entries.get(digest);
      if (entry !== undefined && entry.endsAt > now) return entry.home;
    }
    return undefined;
  }

  keep(digest: string, home: ReasoningHome): void {
    this.#entries.delete(digest);
    if (this.#entries.size >= MAX_ENTRIES) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(digest, { home, endsAt: this.#clock.monotonic() + HOME_MS });
  }
}
