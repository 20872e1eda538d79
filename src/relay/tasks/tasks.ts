import { GatewayError } from "#core/error.ts";
import {
  isOver,
  type Task,
  type TaskPage,
  type TaskPageQuery,
  type TaskQuery,
  type TaskSearch,
} from "#core/task.ts";
import { withinTime } from "#lib/within-time.ts";
import { cancel, pollTask } from "./poll.ts";
import { handleVendorWebhook, type VendorWebhook } from "./vendor-webhook.ts";
import { TaskScheduler, type TaskSchedulerDeps } from "./task-scheduler.ts";
import { submitTask, type AskedVideo, type SubmitDeps } from "./submit.ts";

/** A client that polls more often gets the last known state. */
const MIN_LOOK_AGE_MS = 3_000;
/** Maximum time that a client's request waits for the vendor. */
const LOOK_WAIT_MS = 2_000;
const MAX_REMEMBERED = 10_000;

/** Video tasks for their clients: create, query, cancel. */
export class Tasks {
  readonly taskScheduler: TaskScheduler;
  readonly #submission: SubmitDeps;
  readonly #deps: TaskSchedulerDeps;
  /** Times of the last early polls for tasks of other gateways. */
  readonly #hurried = new Map<string, number>();

  constructor(submission: SubmitDeps, deps: TaskSchedulerDeps) {
    this.#submission = submission;
    this.#deps = deps;
    this.taskScheduler = new TaskScheduler(deps);
  }

  /** Renews this gateway's leases, and leases unowned tasks. */
  renew(): Promise<void> {
    return this.taskScheduler.renew();
  }

  close(): Promise<void> {
    return this.taskScheduler.close();
  }

  submit(asked: AskedVideo): Promise<Task> {
    return submitTask(asked, this.taskScheduler, this.#submission);
  }

  /** The current state, polled within the time that a client waits. */
  async see(userId: number, id: string): Promise<Task | undefined> {
    const task = await this.#deps.tasks.find(userId, id);
    if (task === undefined || isOver(task)) return task;
    return await this.#refreshed(task);
  }

  async seeExternal(userId: number, externalId: string): Promise<Task | undefined> {
    const task = await this.#deps.tasks.findByExternalId(userId, externalId);
    if (task === undefined || isOver(task)) return task;
    return await this.#refreshed(task);
  }

  list(query: TaskQuery): Promise<readonly Task[]> {
    return this.#deps.tasks.list(query);
  }

  page(query: TaskPageQuery): Promise<TaskPage> {
    return this.#deps.tasks.page(query);
  }

  search(query: TaskSearch): Promise<readonly Task[]> {
    return this.#deps.tasks.search(query);
  }

  /** Hides an ended task from its user; throws for a running one. */
  async remove(task: Task): Promise<void> {
    if (await this.#deps.tasks.remove(task.userId, task.id)) return;
    throw new GatewayError("invalid_request", "A running task cannot be deleted.");
  }

  /**
   * Cancels a task that the vendor has not started. The state is polled first, because some vendors
   * delete finished tasks on cancel. Throws the vendor's refusal.
   */
  async cancel(task: Task): Promise<void> {
    if (task.place?.upstreamId === undefined) {
      throw new GatewayError("invalid_request", "The upstream's id of this task is not known yet.");
    }
    const { state } = await pollTask(task, this.#deps);
    if (state === "queued") await cancel(task, this.#deps);
    await this.requestPoll(task.id);
    if (state === "queued") return;
    throw new GatewayError("invalid_request", "A task that has begun cannot be cancelled.");
  }

  /** Polls soon: the task may have changed. */
  async requestPoll(id: string): Promise<void> {
    if (!this.taskScheduler.pollSoon(id) && this.#mayHurry(id))
      await this.#deps.tasks.requestPoll(id);
  }

  /** Handles a vendor's webhook. Throws if the signature is invalid. */
  async handleVendorWebhook(webhook: VendorWebhook): Promise<void> {
    const task = await handleVendorWebhook(webhook, this.#deps);
    if (task !== undefined) await this.requestPoll(task.id);
  }

  async #refreshed(task: Task): Promise<Task> {
    const { id, userId } = task;
    const looked = this.taskScheduler.pollNow(id, MIN_LOOK_AGE_MS);
    const isOurs = await withinTime(looked, LOOK_WAIT_MS);
    if (isOurs === false && this.#mayHurry(id)) await this.#deps.tasks.requestPoll(id);
    return this.taskScheduler.find(id) ?? (await this.#deps.tasks.find(userId, id)) ?? task;
  }

  #mayHurry(id: string): boolean {
    const now = this.#deps.clock.now();
    const last = this.#hurried.get(id);
    if (last !== undefined && now - last < MIN_LOOK_AGE_MS) return false;
    this.#hurried.delete(id);
    this.#hurried.set(id, now);
    const [oldest] = this.#hurried.keys();
    if (this.#hurried.size > MAX_REMEMBERED && oldest !== undefined) this.#hurried.delete(oldest);
    return true;
  }
}
