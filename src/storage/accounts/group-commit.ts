import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "#core/error.ts";
import type { Clock } from "#lib/clock.ts";
import type { StorageEvents, StorageLimits } from "../limits.ts";

/** One operation that waits for its transaction. */
export interface Write {
  /** Turned away when the database cannot take it now. Others are kept until it can. */
  readonly isRefusable: boolean;
  done(): void;
  refuse(cause: GatewayError): void;
}

/**
 * What a failed transaction means. `wait`: the database cannot be written now.
 * `full`: nor will it be before its disk has room again.
 * `bad`: one of the operations will never be taken. `fatal`: nothing that was
 * written can be trusted.
 */
export type Verdict = "wait" | "full" | "bad" | "fatal";

interface GroupOptions<W extends Write> {
  /** All or nothing, in one transaction. */
  readonly commit: (writes: readonly W[]) => Promise<void>;
  readonly judge: (error: unknown) => Verdict;
  /** Calls that run, and will want to write sooner or later. */
  readonly inFlight: () => number;
  /** A write that changes nothing, to find out whether the database works again. */
  readonly probe: () => W;
  readonly clock: Clock;
  readonly limits: StorageLimits;
  readonly events: StorageEvents;
}

/**
 * Group commit: while one transaction runs the next one gathers, so that under
 * load a commit is shared by many calls and an idle gateway waits for nobody.
 */
export interface Group<W extends Write> {
  add(write: W): void;
  /** Throws where a new call must not be admitted: the database is in trouble, or far behind. */
  assertOpen(): void;
  /** Writes what is left, for a bounded time; what remains then is refused. */
  close(): Promise<void>;
}

const RETRY_MIN_MS = 50;
const RETRY_MAX_MS = 1_000;
const RETRY_AFTER_MS = 1_000;
/** A transaction that so many times its writes are in flight for is worth a rest before it. */
const CROWD = 4;

export function openGroup<W extends Write>(options: GroupOptions<W>): Group<W> {
  const { commit, judge, clock, limits, events } = options;
  let queue: W[] = [];
  let running: Promise<void> | undefined;
  let issue: unknown;
  let failures = 0;
  let isClosing = false;
  let isDead = false;
  let lastCommitAt = -Infinity;

  return {
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
        throw new GatewayError("overloaded", "The gateway is behind with its bookkeeping.", {
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
      refuseAll(new Error("The storage was closed before it could write everything."));
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
    try {
      await commit(writes);
    } catch (error) {
      await recover(writes, error);
      return;
    }
    lastCommitAt = clock.monotonic();
    failures = 0;
    issue = undefined;
    for (const write of writes) write.done();
  }

  async function recover(writes: readonly W[], error: unknown): Promise<void> {
    switch (judge(error)) {
      case "bad":
        if (writes.length > 1) return separate(writes);
        events.onError(new Error("The database refused an operation.", { cause: error }));
        for (const write of writes) write.refuse(unbookable(error));
        return;
      case "wait":
      case "full":
        failures++;
        issue = error;
        if (failures === 1) {
          events.onError(
            new Error("The database cannot be written; trying again.", { cause: error }),
          );
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
    events.onFatal(new Error("The database cannot be trusted any more.", { cause: error }));
    refuseAll(error);
  }

  /** Finds the one that spoils a transaction by giving each its own. */
  async function separate(writes: readonly W[]): Promise<void> {
    for (const [index, each] of writes.entries()) {
      await write([each]);
      if (failures === 0 && !isDead) continue;
      queue = [...writes.slice(index + 1), ...queue];
      if (isDead) refuseAll(issue);
      return;
    }
  }

  /** Puts back what must not be lost, and turns the rest away. */
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
    // Worth it only where more is likely to come: not when everybody waits for this transaction.
    if (queue.length * CROWD > options.inFlight()) return;
    const restMs = lastCommitAt + limits.commitFloorMs - clock.monotonic();
    if (restMs > 0) await sleep(restMs);
  }
}

function unavailable(verdict: Verdict, cause: unknown): GatewayError {
  const message =
    verdict === "full"
      ? "The disk of the gateway's database is full. Its operator must free space; then try again."
      : "The gateway cannot reach its database at the moment.";
  return new GatewayError("unavailable", message, { retryAfterMs: RETRY_AFTER_MS, cause });
}

function unbookable(cause: unknown): GatewayError {
  return new GatewayError("internal", "The call could not be booked.", { cause });
}
