import { GatewayError } from "./error.ts";
import type { NanoUsd, Price } from "./money.ts";
import type { MadeVideo, TaskFacts, TaskFailure } from "./video.ts";
import type { Usage } from "./usage.ts";

/**
 * A video task, from the request to its settlement. It outlives the process
 * that accepted it: each state is stored before any action that depends on it.
 */
export interface Task {
  /** Our unguessable id; also the id of its call and of its hold. */
  readonly id: string;
  readonly userId: number;
  readonly keyId: number;
  /** Id of the client's format. */
  readonly entry: string;
  /** The model name that the client used. */
  readonly model: string;
  readonly facts: TaskFacts;
  readonly status: TaskStatus;
  /** The channel and account that run it; absent until they are chosen. */
  readonly place?: TaskPlace;
  readonly progress?: number;
  readonly failure?: TaskFailure;
  readonly videos: readonly MadeVideo[];
  readonly linksEndAt?: number;
  /** Expected usage at first, actual usage in the end. */
  readonly usage: Usage;
  /** The price that applies; absent for a model without a price. */
  readonly price?: Price;
  readonly held: NanoUsd;
  /** Request fields that the vendor's format could not carry. */
  readonly lost: readonly string[];
  /** Unix ms. */
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  /** Unix ms after which the gateway gives up. */
  readonly deadlineAt: number;
  /** Unix ms of the next poll. */
  readonly dueAt: number;
  /** Consecutive polls that failed, and that found no task. */
  readonly failures: number;
  readonly misses: number;
  /** Its hold is settled or released. */
  readonly isSettled: boolean;
  /** Incremented with every change. */
  readonly version: number;
}

/**
 * `submitting`: the gateway is submitting it to a vendor. `submit_unknown`: it
 * is unknown if the vendor accepted it. The last two are final.
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
  /** Format of the upstream endpoint. */
  readonly format: string;
  /** Label of the credential: only the account that created the task knows it. */
  readonly credential: string;
  /** Absent while it is unknown. */
  readonly upstreamId?: string;
}

const TERMINAL: ReadonlySet<TaskStatus> = new Set(["succeeded", "failed"]);

export function isOver({ status }: Pick<Task, "status">): boolean {
  return TERMINAL.has(status);
}

/** Allowed state transitions. Final states never change. */
export const MAY_FOLLOW: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  submitting: ["submitting"],
  submit_unknown: ["submitting"],
  queued: ["submitting", "submit_unknown", "queued"],
  running: ["submitting", "submit_unknown", "queued", "running"],
  succeeded: ["submit_unknown", "queued", "running"],
  failed: ["submitting", "submit_unknown", "queued", "running"],
};

/** The fields of a task that may change. */
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
  /** Id of the last task of the previous page. */
  readonly after?: string;
  readonly limit: number;
  readonly order: "asc" | "desc";
}

/** A numbered page of all matching tasks. */
export interface TaskPageQuery {
  readonly userId: number;
  readonly skip: number;
  readonly limit: number;
  readonly statuses?: readonly TaskStatus[];
  readonly model?: string;
  readonly ids?: readonly string[];
}

export interface TaskPage {
  /** Newest first. */
  readonly tasks: readonly Task[];
  /** Number of tasks on all pages. */
  readonly total: number;
}

/** A page of tasks for the management API, newest first. */
export interface TaskSearch {
  /** Absent: tasks of all users. */
  readonly userId?: number;
  readonly hidesRemoved: boolean;
  readonly statuses?: readonly TaskStatus[];
  readonly model?: string;
  /** Id of the last task of the previous page. */
  readonly before?: string;
  readonly limit: number;
}

export function externalIdTaken(cause?: unknown): GatewayError {
  const message = "'external_task_id' is already used by another of your tasks. Use a unique id.";
  return new GatewayError("invalid_request", message, { param: "external_task_id", cause });
}

/**
 * The store of tasks. A gateway works only on tasks that it has leased. Every
 * change names the version it was made from; of two concurrent changes only the
 * first succeeds. The database clock measures leases, because all gateways
 * share it.
 */
export interface TaskStore {
  /**
   * `owner` holds the lease from the start. `ownsExternalId`: throws
   * `invalid_request` if another visible task of the user has the same external
   * id.
   */
  create(task: Task, owner: string, leaseMs: number, ownsExternalId?: boolean): Promise<void>;
  /** Undefined for tasks of other users and for removed tasks. */
  find(userId: number, id: string): Promise<Task | undefined>;
  /** Finds a task by the client's own id. */
  findByExternalId(userId: number, externalId: string): Promise<Task | undefined>;
  /** Finds a task of any user, for vendors' webhooks. */
  findByUpstream(channel: string, upstreamId: string): Promise<Task | undefined>;
  findAny(id: string): Promise<Task | undefined>;
  list(query: TaskQuery): Promise<readonly Task[]>;
  page(query: TaskPageQuery): Promise<TaskPage>;
  search(query: TaskSearch): Promise<readonly Task[]>;
  /** Leases unsettled tasks without a lease, those due first. */
  lease(owner: string, leaseMs: number, limit: number): Promise<readonly Task[]>;
  /** Extends all unexpired leases of an owner; returns their number. */
  prolong(owner: string, leaseMs: number): Promise<number>;
  /** Releases all leases of an owner, or the lease of one task. */
  release(owner: string, id?: string): Promise<void>;
  /** Asks the owner of the lease to poll the task now. */
  requestPoll(id: string): Promise<void>;
  /** Ids of the owner's tasks with an urgent poll request, once each. */
  leaseUrgent(owner: string): Promise<readonly string[]>;
  /**
   * Changes a task that still has the given version. Undefined if another
   * change came first or the status transition is not allowed. `owner`: only
   * while it holds the lease. Throws `upstream_failed` if another task of the
   * channel has the vendor's id.
   */
  change(task: Task, change: TaskChange, owner?: string): Promise<Task | undefined>;
  /** Hides a finished task from its user; false if it does not exist. */
  remove(userId: number, id: string): Promise<boolean>;
  /** Deletes settled tasks older than `before`; returns their number. */
  prune(before: number, limit: number): Promise<number>;
}
