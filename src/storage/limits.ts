/** Limits of the storage; each has a setting. */
export interface StorageLimits {
  /** Rows of calls that wait for the database; above it no new call is admitted. */
  readonly maxQueuedWrites: number;
  /** Journal records that wait for the database; above it they are dropped and counted. */
  readonly maxQueuedRecords: number;
  /** Operations in one transaction. */
  readonly maxBatch: number;
  /** Minimum time between two transactions while many calls are in flight. */
  readonly commitFloorMs: number;
  /** Accounts that a gateway with SQLite keeps in memory; idle ones above it are read again. */
  readonly maxLoadedAccounts: number;
  /** How long SQLite waits for another process's lock before a write fails. */
  readonly busyTimeoutMs: number;
  /** How long PostgreSQL may commit nothing while a call waits to be admitted. */
  readonly holdTimeoutMs: number;
  /** How long a starting gateway waits for PostgreSQL. */
  readonly bootTimeoutMs: number;
  /** How long a closing storage tries to write its queue. */
  readonly closeTimeoutMs: number;
  /** How long an instance on PostgreSQL may be silent before others close its calls. */
  readonly leaseMs: number;
  /** Interval for storing the delivered output of running calls. */
  readonly checkpointMs: number;
  /** Tags and sessions of one key in an hour that usage is summed by. */
  readonly maxKeyLabels: number;
}

export const STORAGE_LIMITS: StorageLimits = {
  maxQueuedWrites: 10_000,
  maxQueuedRecords: 10_000,
  maxBatch: 500,
  commitFloorMs: 5,
  maxLoadedAccounts: 100_000,
  busyTimeoutMs: 5_000,
  holdTimeoutMs: 2_500,
  bootTimeoutMs: 60_000,
  closeTimeoutMs: 10_000,
  leaseMs: 30_000,
  checkpointMs: 250,
  maxKeyLabels: 500,
};

/** Receives errors that reach no caller. */
export interface StorageEvents {
  onError(cause: unknown): void;
  /** The disk cannot be trusted: bill nothing, end the process, recover at the next start. */
  onFatal(cause: unknown): void;
  /** The database cannot be reached yet. Names its address and the reason. */
  onWait(message: string): void;
}
