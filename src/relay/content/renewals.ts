import type { Task, TaskStore } from "#core/task.ts";
import type { Clock } from "#lib/clock.ts";
import { pollTask, type PollDeps } from "../tasks/poll.ts";

export interface RenewalDeps extends PollDeps {
  readonly tasks: Pick<TaskStore, "change" | "findAny">;
  readonly clock: Clock;
}

/** A link is renewed at most once in this time. */
const PAUSE_MS = 60_000;
const MAX_REMEMBERED = 10_000;

interface Renewal {
  readonly at: number;
  readonly task: Promise<Task>;
}

/** Replaces expired links: polling a finished task again may return newly signed ones. */
export class Renewals {
  readonly #deps: RenewalDeps;
  readonly #known = new Map<string, Renewal>();

  constructor(deps: RenewalDeps) {
    this.#deps = deps;
  }

  /**
   * The task with the vendor's current links. The vendor is polled at most once a minute, for any
   * number of requests.
   */
  renewed(task: Task): Promise<Task> {
    const now = this.#deps.clock.now();
    const known = this.#known.get(task.id);
    if (known !== undefined && now - known.at < PAUSE_MS) return known.task;
    const renewal = { at: now, task: this.#renew(task) };
    this.#known.delete(task.id);
    this.#known.set(task.id, renewal);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
    return renewal.task;
  }

  async #renew(task: Task): Promise<Task> {
    const update = await pollTask(task, this.#deps);
    if (update.state !== "succeeded" || update.videos.length === 0) return task;
    const { videos, linksEndAt } = update;
    const change = { videos, ...(linksEndAt === undefined ? {} : { linksEndAt }) };
    const { tasks } = this.#deps;
    const changed = (await tasks.change(task, change)) ?? (await tasks.findAny(task.id));
    return changed ?? task;
  }
}
