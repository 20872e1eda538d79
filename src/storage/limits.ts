/** Bounds of the storage; each has a setting. */
export interface StorageLimits {
  /** Rows of calls that wait for the database; past it no new call is admitted. */
  readonly maxQueuedWrites: number;
  /** Journal records that wait for the database; past it they are dropped and counted. */
  readonly maxQueuedRecords: number;
  /** Operations in one transaction. */
  readonly maxBatch: number;
  /** Shortest time between two transactions while many calls are in flight. */
  readonly commitFloorMs: number;
  /** Accounts that a gateway with SQLite keeps in memory; idle ones beyond it are read again. */
  readonly maxLoadedAccounts: number;
  /** How long SQLite waits for somebody else's lock before a write has failed. */
  readonly busyTimeoutMs: number;
  /** How long a caller waits for PostgreSQL to admit its call. */
  readonly holdTimeoutMs: number;
  /** How long a booting gateway waits for PostgreSQL. */
  readonly bootTimeoutMs: number;
  /** How long a closing storage tries to write what is left. */
  readonly closeTimeoutMs: number;
  /** How often what running calls have delivered is written down. */
  readonly checkpointMs: number;
}

export const STORAGE_LIMITS: StorageLimits = {
  maxQueuedWrites: 10_000,
  maxQueuedRecords: 10_000,
  maxBatch: 500,
  commitFloorMs: 5,
  maxLoadedAccounts: 100_000,
  busyTimeoutMs: 5_000,
  holdTimeoutMs: 1_000,
  bootTimeoutMs: 60_000,
  closeTimeoutMs: 10_000,
  checkpointMs: 250,
};

/** Where the storage reports what no caller hears of. */
export interface StorageEvents {
  onError(cause: unknown): void;
  /** The disk cannot be trusted any more: bill nothing, end the process, recover at the next start. */
  onFatal(cause: unknown): void;
}
