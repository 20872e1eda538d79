import type { TaskSettings } from "./task-settings.ts";

/** Work that takes its time: where it stands follows from the clock alone. */
export interface Task<Requested> {
  readonly id: string;
  /** The credential that created it; other credentials cannot read it. */
  readonly owner: string;
  /** A name that the caller gave it. */
  readonly externalId: string | undefined;
  readonly requested: Requested;
  /** Where the caller reaches the sandbox. */
  readonly origin: string;
  readonly createdAt: number;
  readonly runsAt: number;
  readonly endsAt: number;
  readonly end: "succeeded" | "failed" | "expired";
  /** When it is given up, however far it is. */
  readonly expiresAt: number;
  /** The words in brackets that the caller wrote. */
  readonly marks: ReadonlySet<string>;
  readonly cancelledAt: number;
}

export interface TaskState {
  readonly phase: Phase;
  /** When it came to be so. */
  readonly since: number;
  /** From 0 to 100. */
  readonly progress: number;
}

export type Phase = "queued" | "running" | "succeeded" | "failed" | "expired" | "cancelled";

export function stateOf(task: Task<unknown>, at: number): TaskState {
  const { createdAt, runsAt, endsAt, expiresAt, cancelledAt } = task;
  if (at >= cancelledAt) return { phase: "cancelled", since: cancelledAt, progress: 0 };
  if (at >= endsAt && endsAt <= expiresAt) return { phase: task.end, since: endsAt, progress: 100 };
  if (at >= expiresAt) return { phase: "expired", since: expiresAt, progress: 0 };
  if (at < runsAt) return { phase: "queued", since: createdAt, progress: 0 };
  const share = Number.isFinite(endsAt) ? (at - runsAt) / (endsAt - runsAt) : 0.5;
  return { phase: "running", since: runsAt, progress: Math.floor(share * 100) };
}

export function hasEnded(task: Task<unknown>, at: number): boolean {
  const { phase } = stateOf(task, at);
  return phase !== "queued" && phase !== "running";
}

/** When it comes to be in another state, as far as that is known ahead. */
export function momentsOf(task: Task<unknown>): readonly number[] {
  const { createdAt, runsAt, endsAt, expiresAt } = task;
  const end = Math.min(endsAt, expiresAt);
  return [createdAt, runsAt, end].filter((at) => at <= end && Number.isFinite(at));
}

/** All tasks of a vendor, the oldest of which are forgotten. */
interface TaskTable<Requested> {
  open(order: TaskOrder<Requested>): Task<Requested>;
  find(id: string, owner: string): Task<Requested> | undefined;
  findNamed(externalId: string, owner: string): Task<Requested> | undefined;
  /** The newest first. */
  list(owner: string): readonly Task<Requested>[];
  /** How many are under way. */
  countOpen(owner: string): number;
  /** Gives the task back as it is from now on. */
  cancel(task: Task<Requested>): Task<Requested>;
  remove(task: Task<Requested>): void;
}

interface TaskOrder<Requested> {
  readonly id: string;
  readonly owner: string;
  readonly externalId?: string | undefined;
  readonly requested: Requested;
  readonly origin: string;
  /** The client's prompt: words in brackets decide the outcome. */
  readonly prompt: string;
  /** Further words that make it fail, in the vendor's own way. */
  readonly failures?: readonly string[];
  readonly expiresAfterMs?: number;
}

export function taskTable<Requested>({ now, tasks: settings }: TableOptions): TaskTable<Requested> {
  const tasks = new Map<string, Task<Requested>>();
  const own = (owner: string) => [...tasks.values()].filter((task) => task.owner === owner);

  return {
    open(order) {
      const task = newTask(order, now(), settings);
      tasks.set(task.id, task);
      const [oldest] = tasks.keys();
      if (tasks.size > MAX_TASKS && oldest !== undefined) tasks.delete(oldest);
      return task;
    },
    find(id, owner) {
      const task = tasks.get(id);
      return task?.owner === owner ? task : undefined;
    },
    findNamed: (externalId, owner) => own(owner).findLast((task) => task.externalId === externalId),
    list: (owner) => own(owner).toReversed(),
    countOpen: (owner) => own(owner).filter((task) => !hasEnded(task, now())).length,
    cancel(task) {
      const cancelled = { ...task, cancelledAt: now() };
      tasks.set(task.id, cancelled);
      return cancelled;
    },
    remove: (task) => void tasks.delete(task.id),
  };
}

interface TableOptions {
  now(): number;
  readonly tasks: TaskSettings;
}

const MAX_TASKS = 2_000;

function newTask<Requested>(
  order: TaskOrder<Requested>,
  createdAt: number,
  { queuedMs, runningMs }: TaskSettings,
): Task<Requested> {
  const { id, owner, externalId, requested, origin, prompt, failures = [] } = order;
  const marks = readMarks(prompt);
  const runsAt = createdAt + queuedMs;
  const fails = ["fail", "moderate", ...failures].some((word) => marks.has(word));
  return {
    id,
    owner,
    externalId,
    requested,
    origin,
    createdAt,
    runsAt,
    endsAt: marks.has("stuck") ? Infinity : runsAt + runningMs,
    end: fails ? "failed" : marks.has("expire") ? "expired" : "succeeded",
    expiresAt: createdAt + (order.expiresAfterMs ?? Infinity),
    marks,
    cancelledAt: Infinity,
  };
}

/** `[fail]`, `[moderate]`, `[expire]`, `[stuck]`, `[timeout]`, and the vendors' own. */
export function readMarks(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(/\[([\w.]{1,60})\]/g), ([, word = ""]) => word));
}
