import { GatewayError, type FaultCode } from "#core/error.ts";
import { isOver, type Task, type TaskChange, type TaskStore } from "#core/task.ts";
import type { TaskUpdate } from "#core/video.ts";
import type { Clock } from "#lib/clock.ts";
import type { Deadlines, Watched } from "#lib/deadlines.ts";
import { Heap } from "#lib/heap.ts";
import { findSubmitted, pollTask, type PollDeps } from "./poll.ts";
import { afterFailure, applyUpdate, applySearchResult, givenUp } from "./task-update.ts";
import { settleTask, type SettleDeps } from "./settle.ts";

export interface TaskSchedulerDeps extends PollDeps, SettleDeps {
  readonly tasks: TaskStore;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly lease: LeaseTerms;
  readonly limits: {
    /** Number of tasks leased by this gateway. */
    readonly tasks: number;
    /** Maximum number of concurrent polls per channel. */
    readonly taskPolls: number;
  };
  /** Enqueues notifications of a task's new state; repeated after a crash. */
  announce(task: Task): Promise<void>;
  onError(cause: unknown): void;
  readonly polls: PollObserver;
}

interface PollObserver {
  /** Gets the delay between the due time of a poll and the poll. */
  onPoll(lateMs: number): void;
  /** Gets each poll of a vendor when it ended. */
  onPolled?(poll: PolledTask): void;
}

/** A poll of a vendor with its outcome. */
export interface PolledTask {
  readonly task: Task;
  /** Unix ms. */
  readonly at: number;
  readonly durationMs: number;
  readonly found: TaskUpdate["state"] | undefined;
  readonly fault: FaultCode | undefined;
}

/** How this gateway leases tasks. */
export interface LeaseTerms {
  /** This gateway's id in leases. */
  readonly owner: string;
  readonly leaseMs: number;
}

const TICK_MS = 100;
/** Share of the lease that is relied on. */
const LEASE_MARGIN = 0.8;
/** Minimum time between polls, for any number of requests. */
const MIN_PAUSE_MS = 1_000;
/** Smaller progress steps are not written. */
const PROGRESS_STEP = 10;

interface Entry {
  task: Task;
  /** The running poll; further callers wait for it. */
  polling: Promise<void> | undefined;
  polledAt: number;
  /** As other gateways read it; the task's own may be a few steps ahead. */
  writtenProgress: number;
}

interface Slot {
  readonly dueAt: number;
  readonly id: string;
}

/**
 * The tasks leased by this gateway. Each is polled when due, until it is ended and settled. A
 * gateway that may have lost its leases drops all tasks: others may have them.
 */
export class TaskScheduler implements Watched {
  readonly #deps: TaskSchedulerDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #schedule = new Heap<Slot>(({ dueAt }) => dueAt);
  readonly #busy = new Map<string, number>();
  /** Due, but their channel is at its limit. */
  readonly #waiting = new Map<string, Entry[]>();
  /** Monotonic ms until which the leases are valid. */
  #leasedUntil: number;
  dueAt = 0;

  constructor(deps: TaskSchedulerDeps) {
    this.#deps = deps;
    this.#leasedUntil = deps.clock.monotonic() + deps.lease.leaseMs * LEASE_MARGIN;
    deps.deadlines.watch(this);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Number of running polls. */
  get polls(): number {
    let sum = 0;
    for (const busy of this.#busy.values()) sum += busy;
    return sum;
  }

  /** Adds a task of this gateway. */
  take(task: Task): void {
    const known = this.#entries.get(task.id);
    if (known !== undefined && known.task.version >= task.version) return;
    const entry = known ?? { task, polling: undefined, polledAt: 0, writtenProgress: 0 };
    setWritten(entry, task);
    this.#entries.set(task.id, entry);
    this.#plan(entry);
  }

  /** The task as known here; undefined for tasks of other gateways. */
  find(id: string): Task | undefined {
    return this.#entries.get(id)?.task;
  }

  /**
   * Polls one of its tasks now, unless it was polled recently. False for tasks of other gateways.
   */
  async pollNow(id: string, minAgeMs: number): Promise<boolean> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    if (entry.polling === undefined && this.#now() - entry.polledAt >= minAgeMs) {
      this.#poll(entry);
    }
    await entry.polling;
    return true;
  }

  /** The same without waiting, limited to a minimum pause. False for tasks of other gateways. */
  pollSoon(id: string): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    const soonest = Math.max(this.#now(), entry.polledAt + MIN_PAUSE_MS);
    if (entry.polling === undefined && entry.task.dueAt > soonest) {
      entry.task = { ...entry.task, dueAt: soonest };
      this.#plan(entry);
    }
    return true;
  }

  /** Leases unowned tasks, and renews its own leases. */
  async renew(): Promise<void> {
    const { tasks, lease, clock, limits } = this.#deps;
    const { owner, leaseMs } = lease;
    const startedAt = clock.monotonic();
    if (startedAt >= this.#leasedUntil) {
      this.#forgetAll();
      // Leases that have not expired yet are released first: the tasks are leased again below.
      await tasks.release(owner);
    }
    await tasks.prolong(owner, leaseMs);
    this.#leasedUntil = startedAt + leaseMs * LEASE_MARGIN;
    for (const id of await tasks.leaseUrgent(owner)) this.pollSoon(id);
    const room = limits.tasks - this.#entries.size;
    if (room <= 0) return;
    for (const task of await tasks.lease(owner, leaseMs, room)) this.take(task);
  }

  /** Releases all tasks, after the running polls. */
  async close(): Promise<void> {
    this.#deps.deadlines.release(this);
    const polling = [...this.#entries.values()].flatMap((each) => each.polling ?? []);
    this.#forgetAll();
    await Promise.all(polling);
    await this.#deps.tasks.release(this.#deps.lease.owner);
  }

  onDue(monotonic: number): void {
    this.dueAt = monotonic + TICK_MS;
    // After a long pause of the process, others may have the tasks.
    if (monotonic >= this.#leasedUntil) {
      this.#forgetAll();
      return;
    }
    const now = this.#now();
    for (;;) {
      const slot = this.#schedule.peek();
      if (slot === undefined || slot.dueAt > now) return;
      this.#schedule.pop();
      const entry = this.#entries.get(slot.id);
      const isStale = entry === undefined || entry.task.dueAt !== slot.dueAt;
      if (!isStale && entry.polling === undefined) this.#poll(entry);
    }
  }

  #now(): number {
    return this.#deps.clock.now();
  }

  #forgetAll(): void {
    this.#entries.clear();
    this.#waiting.clear();
  }

  #plan({ task: { id, dueAt } }: Entry): void {
    this.#schedule.push({ id, dueAt });
  }

  /** Polls a task as soon as its channel has a free slot. */
  #poll(entry: Entry): void {
    const { channel = "" } = entry.task.place ?? {};
    const busy = this.#busy.get(channel) ?? 0;
    if (busy >= this.#deps.limits.taskPolls) {
      const waiting = this.#waiting.get(channel);
      if (waiting === undefined) this.#waiting.set(channel, [entry]);
      else if (!waiting.includes(entry)) waiting.push(entry);
      return;
    }
    this.#busy.set(channel, busy + 1);
    entry.polling = this.#goOn(entry).finally(() => {
      entry.polling = undefined;
      this.#leave(channel);
    });
  }

  #leave(channel: string): void {
    const busy = (this.#busy.get(channel) ?? 1) - 1;
    if (busy === 0) this.#busy.delete(channel);
    else this.#busy.set(channel, busy);
    const next = this.#waiting.get(channel)?.shift();
    if (next !== undefined && this.#entries.get(next.task.id) === next) this.#poll(next);
  }

  /** One step, and directly the next one if nothing has to be waited for. */
  async #goOn(entry: Entry): Promise<void> {
    try {
      do {
        entry.polledAt = this.#now();
        this.#deps.polls.onPoll(entry.polledAt - entry.task.dueAt);
        const change = await this.#step(entry.task);
        if (!(await this.#apply(entry, change))) return;
      } while (entry.task.dueAt <= this.#now() && !entry.task.isSettled);
    } catch (cause) {
      this.#deps.onError(cause);
      const change = afterFailure(GatewayError.from(cause), entry.task, this.#now());
      entry.task = { ...entry.task, ...change };
    }
    if (this.#entries.get(entry.task.id) === entry) this.#plan(entry);
  }

  /** The next change of a task. */
  async #step(task: Task): Promise<TaskChange> {
    if (isOver(task)) {
      await settleTask(task, this.#deps);
      await this.#deps.announce(task);
      return { isSettled: true };
    }
    try {
      if (task.status === "submitting") return { status: "submit_unknown", dueAt: this.#now() };
      if (task.status === "submit_unknown") {
        return applySearchResult(await findSubmitted(task, this.#deps), task, this.#now());
      }
      const change = applyUpdate(await this.#pollVendor(task), task, this.#now());
      return isEnd(change) ? change : (givenUp(task, this.#now()) ?? change);
    } catch (cause) {
      const error = GatewayError.from(cause);
      if (error.code === "internal") this.#deps.onError(cause);
      return givenUp(task, this.#now()) ?? afterFailure(error, task, this.#now());
    }
  }

  async #pollVendor(task: Task): Promise<TaskUpdate> {
    const { clock, polls } = this.#deps;
    if (polls.onPolled === undefined) return await pollTask(task, this.#deps);
    const at = clock.now();
    const startedAt = clock.monotonic();
    const report = (outcome: Pick<PolledTask, "found" | "fault">): void =>
      polls.onPolled?.({ task, at, durationMs: clock.monotonic() - startedAt, ...outcome });
    try {
      const update = await pollTask(task, this.#deps);
      report({ found: update.state, fault: undefined });
      return update;
    } catch (cause) {
      report({ found: undefined, fault: GatewayError.from(cause).code });
      throw cause;
    }
  }

  /** False if it was dropped before, and may have been leased again. */
  #drop(entry: Entry): boolean {
    return this.#entries.get(entry.task.id) === entry && this.#entries.delete(entry.task.id);
  }

  /** False if the task ended, or was changed elsewhere: the next lease reads it again. */
  async #apply(entry: Entry, change: TaskChange): Promise<boolean> {
    const { task } = entry;
    if (!isWorthWriting(change, entry)) {
      entry.task = { ...task, ...change };
      return true;
    }
    const { tasks, lease } = this.#deps;
    const { owner } = lease;
    const due = isEnd(change) ? { ...change, dueAt: this.#now() } : change;
    const changed = await tasks.change(task, due, owner);
    if (changed === undefined) {
      if (this.#drop(entry)) await tasks.release(owner, task.id);
      return false;
    }
    if (changed.isSettled) {
      this.#drop(entry);
      return false;
    }
    setWritten(entry, changed);
    if (changed.status !== task.status && !isOver(changed)) await this.#deps.announce(changed);
    return true;
  }
}

function setWritten(entry: Entry, task: Task): void {
  entry.task = task;
  entry.writtenProgress = task.progress ?? 0;
}

function isEnd({ status }: TaskChange): boolean {
  return status === "succeeded" || status === "failed";
}

/** The next due time and an earlier error alone are not written: they are kept in memory. */
function isWorthWriting(
  { status, isSettled, place, progress = 0 }: TaskChange,
  { writtenProgress }: Entry,
): boolean {
  if (status !== undefined || isSettled === true || place !== undefined) return true;
  return progress - writtenProgress >= PROGRESS_STEP;
}
