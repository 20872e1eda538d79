import { networkOf } from "#core/login-limits.ts";
import type { Clock } from "#lib/clock.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Limits per address and in total: unknown clients must not fill the disk. */
const ROWS_A_MINUTE = 100;
const ROWS_AN_HOUR = 6_000;
const MAX_ADDRESSES = 10_000;
const MAX_COUNTED = 100;
const OTHERS = "others";

/**
 * Selects the refusals that get an audit row of their own. The others are counted by address until
 * a summary row is written.
 */
export class RefusalSample {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #written = new Map<string, number>();
  readonly #counted = new Map<string, number>();
  #minute = 0;
  #hour = 0;
  #writtenInHour = 0;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Whether one more row may be written for this address. */
  mayWrite(address: string | undefined): boolean {
    this.#turn();
    const from = networkOf(address);
    const written = this.#written.get(from) ?? 0;
    const isKnown = written > 0 || this.#written.size < MAX_ADDRESSES;
    if (!isKnown || written >= ROWS_A_MINUTE || this.#writtenInHour >= ROWS_AN_HOUR) return false;
    this.#written.set(from, written + 1);
    this.#writtenInHour++;
    return true;
  }

  /** Counts a refusal that is not written. */
  count(address: string | undefined): void {
    const from = networkOf(address);
    const hasRoom = this.#counted.has(from) || this.#counted.size < MAX_COUNTED;
    const name = hasRoom ? from : OTHERS;
    this.#counted.set(name, (this.#counted.get(name) ?? 0) + 1);
  }

  /** Counts that are not yet written, by address. */
  get counts(): readonly (readonly [string, number])[] {
    return [...this.#counted];
  }

  /** Subtracts refusals that are now written. */
  forget(address: string, count: number): void {
    const rest = (this.#counted.get(address) ?? 0) - count;
    if (rest > 0) this.#counted.set(address, rest);
    else this.#counted.delete(address);
  }

  #turn(): void {
    const now = this.#clock.monotonic();
    const [minute, hour] = [Math.floor(now / MINUTE_MS), Math.floor(now / HOUR_MS)];
    if (minute !== this.#minute) this.#written.clear();
    if (hour !== this.#hour) this.#writtenInHour = 0;
    this.#minute = minute;
    this.#hour = hour;
  }
}
