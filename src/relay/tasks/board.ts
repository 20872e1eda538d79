import { GatewayError } from "#core/error.ts";
import { isOver, type Task, type TaskChange, type TaskStore } from "#core/task.ts";
import type { Clock } from "#lib/clock.ts";
import type { Deadlines, Watched } from "#lib/deadlines.ts";
import { Heap } from "#lib/heap.ts";
import { findSubmitted, look, type AskDeps } from "./ask.ts";
import { afterFailure, changeBy, changeByFinding, givenUp } from "./news.ts";
import { settleTask, type SettleDeps } from "./settle.ts";

export interface BoardDeps extends AskDeps, SettleDeps {
  readonly tasks: TaskStore;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  /** Names this gateway in leases. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly limits: {
    /** Tasks in this gateway's hands. */
    readonly tasks: number;
    /** Looks at once on one channel. */
    readonly taskLooks: number;
  };
  /** Tells whoever wants to know that a task is in another state; done again after a crash. */
  announce(task: Task): Promise<void>;
  onTrouble(cause: unknown): void;
  /** A task was looked at so long after it was due. */
  onLook(lateMs: number): void;
}

const TICK_MS = 100;
/** A lease is not relied on to its last moment. */
const LEASE_MARGIN = 0.8;
/** However often somebody says that something happened. */
const MIN_PAUSE_MS = 1_000;
/** Smaller steps are not worth a write. */
const PROGRESS_STEP = 10;

interface Entry {
  task: Task;
  /** Being looked at; whoever else wants to waits for this one. */
  looking: Promise<void> | undefined;
  lookedAt: number;
}

interface Slot {
  readonly dueAt: number;
  readonly id: string;
}

/**
 * The tasks in this gateway's hands, each looked at when it is due, until it is
 * over and settled. A gateway that cannot be sure of its leases lets go of
 * them all: others may have them already.
 */
export class TaskBoard implements Watched {
  readonly #deps: BoardDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #schedule = new Heap<Slot>(({ dueAt }) => dueAt);
  readonly #busy = new Map<string, number>();
  /** Due, but their channel is busy. */
  readonly #waiting = new Map<string, Entry[]>();
  /** Monotonic ms up to which the leases hold. */
  #leasedUntil: number;
  dueAt = 0;

  constructor(deps: BoardDeps) {
    this.#deps = deps;
    this.#leasedUntil = deps.clock.monotonic() + deps.leaseMs * LEASE_MARGIN;
    deps.deadlines.watch(this);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Looks under way. */
  get looks(): number {
    let sum = 0;
    for (const busy of this.#busy.values()) sum += busy;
    return sum;
  }

  /** A task of this gateway's. */
  take(task: Task): void {
    const known = this.#entries.get(task.id);
    if (known !== undefined && known.task.version >= task.version) return;
    const entry = known ?? { task, looking: undefined, lookedAt: 0 };
    entry.task = task;
    this.#entries.set(task.id, entry);
    this.#plan(entry);
  }

  /** As it is known here; undefined for those of others. */
  find(id: string): Task | undefined {
    return this.#entries.get(id)?.task;
  }

  /** Looks at one of its tasks now, unless somebody just did. False for those of others. */
  async lookNow(id: string, minAgeMs: number): Promise<boolean> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    if (entry.looking === undefined && this.#now() - entry.lookedAt >= minAgeMs) {
      this.#attend(entry);
    }
    await entry.looking;
    return true;
  }

  /** The same, without waiting, and not more often than makes sense. False for those of others. */
  lookSoon(id: string): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    const soonest = Math.max(this.#now(), entry.lookedAt + MIN_PAUSE_MS);
    if (entry.looking === undefined && entry.task.dueAt > soonest) {
      entry.task = { ...entry.task, dueAt: soonest };
      this.#plan(entry);
    }
    return true;
  }

  /** Leases what is nobody's, and keeps what it has. */
  async renew(): Promise<void> {
    const { tasks, owner, leaseMs, clock, limits } = this.#deps;
    const startedAt = clock.monotonic();
    if (startedAt >= this.#leasedUntil) {
      this.#forgetAll();
      // Those that have not ended yet are in nobody's hands either: they are leased anew below.
      await tasks.release(owner);
    }
    await tasks.prolong(owner, leaseMs);
    this.#leasedUntil = startedAt + leaseMs * LEASE_MARGIN;
    for (const id of await tasks.takeHurried(owner)) this.lookSoon(id);
    const room = limits.tasks - this.#entries.size;
    if (room <= 0) return;
    for (const task of await tasks.lease(owner, leaseMs, room)) this.take(task);
  }

  /** Lets go of everything, once what is being looked at is looked at. */
  async close(): Promise<void> {
    this.#deps.deadlines.release(this);
    const looking = [...this.#entries.values()].flatMap((each) => each.looking ?? []);
    this.#forgetAll();
    await Promise.all(looking);
    await this.#deps.tasks.release(this.#deps.owner);
  }

  onDue(monotonic: number): void {
    this.dueAt = monotonic + TICK_MS;
    // After a long sleep the tasks may be in other hands.
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
      if (!isStale && entry.looking === undefined) this.#attend(entry);
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

  /** Looks at a task as soon as its channel has room. */
  #attend(entry: Entry): void {
    const { channel = "" } = entry.task.place ?? {};
    const busy = this.#busy.get(channel) ?? 0;
    if (busy >= this.#deps.limits.taskLooks) {
      const waiting = this.#waiting.get(channel);
      if (waiting === undefined) this.#waiting.set(channel, [entry]);
      else if (!waiting.includes(entry)) waiting.push(entry);
      return;
    }
    this.#busy.set(channel, busy + 1);
    entry.looking = this.#goOn(entry).finally(() => {
      entry.looking = undefined;
      this.#leave(channel);
    });
  }

  #leave(channel: string): void {
    const busy = (this.#busy.get(channel) ?? 1) - 1;
    if (busy === 0) this.#busy.delete(channel);
    else this.#busy.set(channel, busy);
    const next = this.#waiting.get(channel)?.shift();
    if (next !== undefined && this.#entries.get(next.task.id) === next) this.#attend(next);
  }

  /** One step, and at once the next one where there is nothing to wait for. */
  async #goOn(entry: Entry): Promise<void> {
    try {
      do {
        entry.lookedAt = this.#now();
        this.#deps.onLook(entry.lookedAt - entry.task.dueAt);
        const change = await this.#step(entry.task);
        if (!(await this.#apply(entry, change))) return;
      } while (entry.task.dueAt <= this.#now() && !entry.task.isSettled);
    } catch (cause) {
      this.#deps.onTrouble(cause);
      const change = afterFailure(GatewayError.from(cause), entry.task, this.#now());
      entry.task = { ...entry.task, ...change };
    }
    if (this.#entries.get(entry.task.id) === entry) this.#plan(entry);
  }

  /** What is to become of a task. */
  async #step(task: Task): Promise<TaskChange | undefined> {
    if (isOver(task)) {
      await settleTask(task, this.#deps);
      await this.#deps.announce(task);
      return { isSettled: true };
    }
    try {
      if (task.status === "submitting") return { status: "submit_unknown", dueAt: this.#now() };
      if (task.status === "submit_unknown") {
        return changeByFinding(await findSubmitted(task, this.#deps), task, this.#now());
      }
      const change = changeBy(await look(task, this.#deps), task, this.#now());
      return isEnd(change) ? change : (givenUp(task, this.#now()) ?? change);
    } catch (cause) {
      const error = GatewayError.from(cause);
      if (error.code === "internal") this.#deps.onTrouble(cause);
      return givenUp(task, this.#now()) ?? afterFailure(error, task, this.#now());
    }
  }

  /** False where it was forgotten before, and may have been taken anew. */
  #drop(entry: Entry): boolean {
    return this.#entries.get(entry.task.id) === entry && this.#entries.delete(entry.task.id);
  }

  /** False where the task is over, or not as it was known: whoever leases it next knows it. */
  async #apply(entry: Entry, change: TaskChange | undefined): Promise<boolean> {
    const { task } = entry;
    if (change === undefined) return true;
    if (!isWorthWriting(change, task)) {
      entry.task = { ...task, ...change };
      return true;
    }
    const { tasks, owner } = this.#deps;
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
    entry.task = changed;
    if (changed.status !== task.status && !isOver(changed)) await this.#deps.announce(changed);
    return true;
  }
}

function isEnd(change: TaskChange | undefined): boolean {
  return change?.status === "succeeded" || change?.status === "failed";
}

/** When to look next, and what went wrong before, is known well enough by whoever looks. */
function isWorthWriting(change: TaskChange, task: Task): boolean {
  const { status, isSettled, place, progress = 0 } = change;
  if (status !== undefined || isSettled === true || place !== undefined) return true;
  return progress - (task.progress ?? 0) >= PROGRESS_STEP;
}
