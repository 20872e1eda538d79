import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "#core/error.ts";
import type { Clock } from "#lib/clock.ts";
import { Histogram } from "#lib/histogram.ts";
import type { StorageEvents, StorageLimits } from "../limits.ts";

/** One operation that waits for its transaction. */
export interface Write {
  /**
   * True if it may be refused while the database cannot be written. Other
   * writes are kept until it can.
   */
  readonly isRefusable: boolean;
  done(): void;
  refuse(cause: GatewayError): void;
}

/**
 * The meaning of a failed transaction. `wait`: the database cannot be written
 * now. `full`: it cannot be written until its disk has space. `bad`: one
 * operation is invalid. `fatal`: no written data can be trusted.
 */
export type Verdict = "wait" | "full" | "bad" | "fatal";

interface GroupOptions<W extends Write> {
  /** Commits all writes in one transaction, or none. */
  readonly commit: (writes: readonly W[]) => Promise<void>;
  readonly judge: (error: unknown) => Verdict;
  /** Number of running calls, which will write later. */
  readonly inFlight: () => number;
  /** A write without effect, to test if the database works again. */
  readonly probe: () => W;
  readonly clock: Clock;
  readonly limits: StorageLimits;
  readonly events: StorageEvents;
}

/**
 * Group commit: while one transaction runs, the next one collects writes. Under
 * load many calls share a commit; an idle gateway does not wait.
 */
export interface Group<W extends Write> {
  add(write: W): void;
  /** Throws if a new call must not be admitted: the database has failed or is far behind. */
  assertOpen(): void;
  /** Writes the queue for a bounded time and refuses the rest. */
  close(): Promise<void>;
}

interface MeasuredGroup<W extends Write> extends Group<W> {
  readonly stats: WriteStats;
}

/** For metrics. */
export interface WriteStats {
  /** Writes that wait for their transaction. */
  readonly queued: number;
  /** False after a failed transaction, until the next one succeeds. */
  readonly isWritable: boolean;
  /** Duration of transactions. */
  readonly commitsMs: Histogram;
}

const COMMITS_MS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];

const RETRY_MIN_MS = 50;
const RETRY_MAX_MS = 1_000;
const RETRY_AFTER_MS = 1_000;
/** Wait before a transaction if this many times its writes are in flight. */
const BATCH_FACTOR = 4;

export function openGroup<W extends Write>(options: GroupOptions<W>): MeasuredGroup<W> {
  const { commit, judge, clock, limits, events } = options;
  let queue: W[] = [];
  let running: Promise<void> | undefined;
  let issue: unknown;
  let failures = 0;
  let isClosing = false;
  let isDead = false;
  let lastCommitAt = -Infinity;
  const commitsMs = new Histogram(COMMITS_MS);

  return {
    stats: {
      commitsMs,
      get queued() {
        return queue.length;
      },
      get isWritable() {
        return !isDead && failures === 0;
      },
    },

    add(write) {
      if (isDead) {
        write.refuse(unavailable(judge(issue), issue));
        return;
      }
      queue.push(write);
      running ??= drain().catch(die);
    },

    assertOpen() {
      if (isDead || isClosing || failures > 0) throw unavailable(judge(issue), issue);
      if (queue.length >= limits.maxQueuedWrites) {
        throw new GatewayError("overloaded", "The gateway's write queue is full. Retry later.", {
          retryAfterMs: RETRY_AFTER_MS,
        });
      }
    },

    async close() {
      isClosing = true;
      const deadline = new AbortController();
      const expired = sleep(limits.closeTimeoutMs, undefined, { signal: deadline.signal });
      await Promise.race([running, expired.catch(() => undefined)]);
      deadline.abort();
      isDead = true;
      refuseAll(new Error("The storage was closed with unwritten data."));
    },
  };

  async function drain(): Promise<void> {
    await nextTurn();
    while (!isDead && (queue.length > 0 || (failures > 0 && !isClosing))) {
      await pause();
      if (queue.length === 0) queue.push(options.probe());
      await write(queue.splice(0, limits.maxBatch));
    }
    running = undefined;
  }

  async function write(writes: readonly W[]): Promise<void> {
    const startedAt = clock.monotonic();
    try {
      await commit(writes);
    } catch (error) {
      await recover(writes, error);
      return;
    }
    lastCommitAt = clock.monotonic();
    commitsMs.observe(lastCommitAt - startedAt);
    failures = 0;
    issue = undefined;
    for (const write of writes) write.done();
  }

  async function recover(writes: readonly W[], error: unknown): Promise<void> {
    switch (judge(error)) {
      case "bad":
        if (writes.length > 1) return separate(writes);
        events.onError(new Error("database write failed: operation refused", { cause: error }));
        for (const write of writes) write.refuse(unbookable(error));
        return;
      case "wait":
      case "full":
        failures++;
        issue = error;
        if (failures === 1) {
          events.onError(new Error("database write failed: retrying", { cause: error }));
        }
        keep(writes);
        return;
      case "fatal":
        queue = [...writes, ...queue];
        die(error);
    }
  }

  function die(error: unknown): void {
    isDead = true;
    issue = error;
    events.onFatal(new Error("database failed: its data cannot be trusted", { cause: error }));
    refuseAll(error);
  }

  /**
   * Finds the invalid write of a failed transaction by running each write in
   * its own transaction.
   */
  async function separate(writes: readonly W[]): Promise<void> {
    for (const [index, each] of writes.entries()) {
      await write([each]);
      if (failures === 0 && !isDead) continue;
      queue = [...writes.slice(index + 1), ...queue];
      if (isDead) refuseAll(issue);
      return;
    }
  }

  /** Queues writes that must not be lost, and refuses the others. */
  function keep(writes: readonly W[]): void {
    const all = [...writes, ...queue];
    queue = [];
    const kept = all.filter((write) => !write.isRefusable);
    for (const write of all) {
      if (write.isRefusable) write.refuse(unavailable(judge(issue), issue));
    }
    // A refusal may have added to the queue.
    queue = [...kept, ...queue];
  }

  function refuseAll(cause: unknown): void {
    const all = queue;
    queue = [];
    for (const write of all) write.refuse(unavailable(judge(cause), cause));
  }

  async function pause(): Promise<void> {
    if (failures > 0) {
      const ceilingMs = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** failures);
      await sleep(ceilingMs * (0.5 + Math.random() / 2));
      return;
    }
    // Wait only if more writes are likely, not if all calls wait for this transaction.
    if (queue.length * BATCH_FACTOR > options.inFlight()) return;
    const restMs = lastCommitAt + limits.commitFloorMs - clock.monotonic();
    if (restMs > 0) await rest(restMs);
  }
}

/** By a plain timer, which is cheaper than one that can be aborted: most transactions wait so. */
function rest(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, ms);
  return promise;
}

function unavailable(verdict: Verdict, cause: unknown): GatewayError {
  const message =
    verdict === "full"
      ? "The disk of the gateway's database is full. The operator must free space before you retry."
      : "The gateway cannot reach its database. Retry later.";
  return new GatewayError("unavailable", message, { retryAfterMs: RETRY_AFTER_MS, cause });
}

function unbookable(cause: unknown): GatewayError {
  return new GatewayError("internal", "The gateway could not record the call.", { cause });
}
