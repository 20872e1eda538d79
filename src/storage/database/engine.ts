import type { Kysely, RawBuilder } from "kysely";
import type { CallRecord, Journal } from "#core/call.ts";
import type { AccountId } from "#core/key.ts";
import type { Ledger } from "#core/ledger.ts";
import type { NanoUsd } from "#core/money.ts";
import type { Clock } from "#lib/clock.ts";
import type { StorageEvents, StorageLimits } from "../limits.ts";
import type { Tables } from "../tables.ts";

export interface EngineOptions {
  /** Names this process; a new one at each start. */
  readonly instance: string;
  readonly clock: Clock;
  readonly limits: StorageLimits;
  readonly events: StorageEvents;
}

/** Grants are the same on both. */
export type EngineLedger = Omit<Ledger, "grant">;

/** What the two databases do differently. */
export interface Engine {
  readonly db: Kysely<Tables>;
  readonly ledger: EngineLedger;
  readonly journal: CountingJournal;
  /** What an account may spend has changed, and the change is committed. */
  onGranted(id: AccountId, granted: NanoUsd | null): void;
  /** How long a key that was looked up may be believed: others may share the database. */
  readonly keyTtlMs: number;
  /** False for a process that ended, or gave no sign of life for too long. */
  isAlive(instance: string): Promise<boolean>;
  /** A number up to which no row of `calls` will appear any more; undefined where that is not known now. */
  findCallsEnd(): Promise<number | undefined>;
  /** One process owns the database: whatever others had in hand when it was opened is in nobody's. */
  readonly isSole: boolean;
  /** Unix ms, by the one clock that all gateways of the database share. */
  sharedNow(): RawBuilder<number>;
  /** Writes something, and resolves once it is on disk. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface CountingJournal extends Journal {
  /** Records that were lost since the start. */
  readonly dropped: number;
}

/** A journal that lets at most `maxQueued` records wait. */
export function openJournal(
  maxQueued: number,
  add: (record: CallRecord, over: () => void) => void,
): CountingJournal {
  let queued = 0;
  let dropped = 0;
  return {
    get dropped() {
      return dropped;
    },
    write(record) {
      if (queued >= maxQueued) {
        dropped++;
        return;
      }
      queued++;
      add(record, () => queued--);
    },
  };
}
