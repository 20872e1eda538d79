import { GatewayError } from "#core/error.ts";
import {
  isOver,
  type Task,
  type TaskPage,
  type TaskPageQuery,
  type TaskQuery,
} from "#core/task.ts";
import { withinTime } from "#lib/within-time.ts";
import { cancel, pollTask } from "./poll.ts";
import { handleVendorWebhook, type VendorWebhook } from "./vendor-webhook.ts";
import { TaskScheduler, type TaskSchedulerDeps } from "./task-scheduler.ts";
import { submitTask, type AskedVideo, type SubmitDeps } from "./submit.ts";

export type TasksDeps = TaskSchedulerDeps & Omit<SubmitDeps, "onTaken">;

/** A caller who asks again and again is told what was found out last. */
const MIN_LOOK_AGE_MS = 3_000;
/** How long a caller's question waits for the vendor's answer. */
const LOOK_WAIT_MS = 2_000;
const MAX_REMEMBERED = 10_000;

/** Videos as their callers see them: asked for, watched, taken back. */
export class Tasks {
  readonly taskScheduler: TaskScheduler;
  readonly #deps: TasksDeps;
  /** When tasks of other gateways were last hurried. */
  readonly #hurried = new Map<string, number>();

  constructor(deps: TasksDeps) {
    this.#deps = deps;
    this.taskScheduler = new TaskScheduler(deps);
  }

  /** Keeps what this gateway has in hand, and takes in what is nobody's. */
  renew(): Promise<void> {
    return this.taskScheduler.renew();
  }

  close(): Promise<void> {
    return this.taskScheduler.close();
  }

  submit(asked: AskedVideo): Promise<Task> {
    return submitTask(asked, { ...this.#deps, onTaken: (task) => this.taskScheduler.take(task) });
  }

  /** As it is now, as far as that can be found out while the caller waits. */
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

  /** Hides a finished one from its user; throws for one that is not over. */
  async remove(task: Task): Promise<void> {
    if (await this.#deps.tasks.remove(task.userId, task.id)) return;
    throw new GatewayError("invalid_request", "A task that is not over cannot be deleted.");
  }

  /**
   * Takes back one that its vendor has not begun, by what that says now: what is
   * made by then, some delete. Throws what the vendor says against it.
   */
  async cancel(task: Task): Promise<void> {
    if (task.place?.upstreamId === undefined) {
      throw new GatewayError(
        "invalid_request",
        "What its upstream calls this task is not known yet.",
      );
    }
    const { state } = await pollTask(task, this.#deps);
    if (state === "queued") await cancel(task, this.#deps);
    await this.requestPoll(task.id);
    if (state === "queued") return;
    throw new GatewayError("invalid_request", "A task that has begun cannot be cancelled.");
  }

  /** Something may have happened to it. */
  async requestPoll(id: string): Promise<void> {
    if (!this.taskScheduler.pollSoon(id) && this.#mayHurry(id))
      await this.#deps.tasks.requestPoll(id);
  }

  /** A vendor says that something happened. Throws where it cannot be the vendor. */
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
