import type { Kysely, RawBuilder } from "kysely";
import type { CallRecord, Journal } from "#core/call.ts";
import type { AccountId } from "#core/key.ts";
import type { Ledger } from "#core/ledger.ts";
import type { Clock } from "#lib/clock.ts";
import type { ChangedLimit } from "../accounts/grants.ts";
import type { WriteStats } from "../accounts/group-commit.ts";
import type { StorageEvents, StorageLimits } from "../limits.ts";
import type { Tables } from "../tables.ts";

export interface EngineOptions {
  /** Id of this process, new at each start. */
  readonly instance: string;
  readonly clock: Clock;
  readonly limits: StorageLimits;
  readonly events: StorageEvents;
}

/** Grants work the same on both engines. */
export type EngineLedger = Omit<Ledger, "grant">;

/** The differences between the two databases. */
export interface Engine {
  readonly db: Kysely<Tables>;
  readonly ledger: EngineLedger;
  readonly journal: CountingJournal;
  /** Called after a committed change of an account's limit. */
  onGranted(id: AccountId, limit: ChangedLimit): void;
  /** Lifetime of a cached key, because other gateways may share the database. */
  readonly keyTtlMs: number;
  /** False for a process that ended, or whose heartbeat is overdue. */
  isAlive(instance: string): Promise<boolean>;
  /** No call with a number up to this one can still appear; undefined if it is unknown now. */
  findCallsEnd(): Promise<number | undefined>;
  /** One process owns the database: leases from before its start are void. */
  readonly isSole: boolean;
  /** Unix ms from the clock that all gateways of the database share. */
  sharedNow(): RawBuilder<number>;
  /** The table `line`, whose column `value` has the lines of a text that are not empty. */
  linesOf(text: RawBuilder<unknown>): RawBuilder<unknown>;
  readonly writes: WriteStats;
  /** Resolves once a test write is on disk. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface CountingJournal extends Journal {
  /** Records lost since the start. */
  readonly dropped: number;
}

/** A journal with at most `maxQueued` waiting records. */
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
