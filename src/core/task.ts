import { GatewayError } from "./error.ts";
import type { NanoUsd, Price } from "./money.ts";
import type { MadeVideo, TaskFacts, TaskFailure } from "./video.ts";
import type { Usage } from "./usage.ts";

/**
 * A video on its way, from the request for it to its settlement. It outlives
 * the process that took it on: each state is on disk before anything is done
 * that only holds in it.
 */
export interface Task {
  /** Ours, and not to be guessed; also its call's id and its hold's. */
  readonly id: string;
  readonly userId: number;
  readonly keyId: number;
  /** The format through which it was asked for. */
  readonly entry: string;
  /** The name that the caller used. */
  readonly model: string;
  readonly facts: TaskFacts;
  readonly status: TaskStatus;
  /** Where it runs; absent until it is decided. */
  readonly place?: TaskPlace;
  readonly progress?: number;
  readonly failure?: TaskFailure;
  readonly videos: readonly MadeVideo[];
  readonly linksEndAt?: number;
  /** What is known of its use: at first what is expected, in the end what it was. */
  readonly usage: Usage;
  /** What it is charged by; absent for a model without a price. */
  readonly price?: Price;
  readonly held: NanoUsd;
  /** Fields of the request that its vendor's format could not carry. */
  readonly lost: readonly string[];
  /** Unix ms. */
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  /** From here on it is given up. */
  readonly deadlineAt: number;
  /** When the vendor is to be asked again. */
  readonly dueAt: number;
  /** Looks in a row that came to nothing, and that found nothing. */
  readonly failures: number;
  readonly misses: number;
  /** Its money is where it belongs. */
  readonly isSettled: boolean;
  /** Moves with every change. */
  readonly version: number;
}

/**
 * `submitting`: a vendor is being asked to take it on. `submit_unknown`: nobody
 * knows whether it did. The last two are for ever.
 */
export type TaskStatus =
  | "submitting"
  | "submit_unknown"
  | "queued"
  | "running"
  | "succeeded"
  | "failed";

export interface TaskPlace {
  readonly channel: string;
  readonly provider: string;
  readonly upstreamModel: string;
  /** Format of the endpoint it was sent to. */
  readonly format: string;
  /** By its label: only the account that it was made with knows the task. */
  readonly credential: string;
  /** Absent while nobody knows it. */
  readonly upstreamId?: string;
}

const TERMINAL: ReadonlySet<TaskStatus> = new Set(["succeeded", "failed"]);

export function isOver({ status }: Pick<Task, "status">): boolean {
  return TERMINAL.has(status);
}

/** From which state a task may come into another. What is over stays what it is. */
export const MAY_FOLLOW: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  submitting: ["submitting"],
  submit_unknown: ["submitting"],
  queued: ["submitting", "submit_unknown", "queued"],
  running: ["submitting", "submit_unknown", "queued", "running"],
  succeeded: ["submit_unknown", "queued", "running"],
  failed: ["submitting", "submit_unknown", "queued", "running"],
};

/** What may change of a task. */
export type TaskChange = Partial<
  Pick<
    Task,
    | "status"
    | "place"
    | "progress"
    | "failure"
    | "videos"
    | "linksEndAt"
    | "usage"
    | "facts"
    | "price"
    | "held"
    | "lost"
    | "startedAt"
    | "finishedAt"
    | "deadlineAt"
    | "dueAt"
    | "failures"
    | "misses"
    | "isSettled"
  >
>;

export interface TaskQuery {
  readonly userId: number;
  /** The last task of the page before. */
  readonly after?: string;
  readonly limit: number;
  readonly order: "asc" | "desc";
}

/** A page by its number, of those that are all of what is said. */
export interface TaskPageQuery {
  readonly userId: number;
  readonly skip: number;
  readonly limit: number;
  readonly statuses?: readonly TaskStatus[];
  readonly model?: string;
  readonly ids?: readonly string[];
}

export interface TaskPage {
  /** The newest first. */
  readonly tasks: readonly Task[];
  /** On all pages together. */
  readonly total: number;
}

export function externalIdTaken(cause?: unknown): GatewayError {
  const message = "'external_task_id' is taken: another task of yours has it.";
  return new GatewayError("invalid_request", message, { param: "external_task_id", cause });
}

/**
 * Where tasks are kept. A gateway works on those that it has leased, and on no
 * others; every change says which version it was made from, and of two only
 * the first is. Leases are measured by the one clock that all gateways share.
 */
export interface TaskStore {
  /**
   * It is leased to `owner` from the start. `ownsExternalId`: throws
   * `invalid_request` where another task that its user still sees owns the
   * caller's id for it, too.
   */
  create(task: Task, owner: string, leaseMs: number, ownsExternalId?: boolean): Promise<void>;
  /** Undefined for tasks of others, and for those that were removed. */
  find(userId: number, id: string): Promise<Task | undefined>;
  /** By the caller's own id for it. */
  findByExternalId(userId: number, externalId: string): Promise<Task | undefined>;
  /** Whoever it belongs to: for what vendors tell us. */
  findByUpstream(channel: string, upstreamId: string): Promise<Task | undefined>;
  findAny(id: string): Promise<Task | undefined>;
  list(query: TaskQuery): Promise<readonly Task[]>;
  page(query: TaskPageQuery): Promise<TaskPage>;
  /** Leases tasks that are not settled and nobody's, those due first. */
  lease(owner: string, leaseMs: number, limit: number): Promise<readonly Task[]>;
  /** Prolongs all leases of an owner that have not ended; how many there are. */
  prolong(owner: string, leaseMs: number): Promise<number>;
  /** Gives all its leases back, or the one of a task. */
  release(owner: string, id?: string): Promise<void>;
  /** Asks whoever has leased it to look at it now. */
  hurry(id: string): Promise<void>;
  /** Ids of the owner's tasks that somebody asked to be looked at, once each. */
  leaseUrgent(owner: string): Promise<readonly string[]>;
  /**
   * Changes a task that is still as it is given; undefined where somebody else
   * came first, or where the new status may not follow. `owner`: only while it
   * is leased to it. Throws `upstream_failed` where another task of the channel
   * has the vendor's id.
   */
  change(task: Task, change: TaskChange, owner?: string): Promise<Task | undefined>;
  /** Hides a finished task from its user; false where there is none. */
  remove(userId: number, id: string): Promise<boolean>;
  /** Deletes settled tasks from before; how many were. */
  prune(before: number, limit: number): Promise<number>;
}
