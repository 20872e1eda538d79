import type { Task, TaskStore } from "#core/task.ts";
import type { Clock } from "#lib/clock.ts";
import { pollTask, type PollDeps } from "../tasks/poll.ts";

export interface RenewalDeps extends PollDeps {
  readonly tasks: Pick<TaskStore, "change" | "findAny">;
  readonly clock: Clock;
}

/** A link that was just asked for anew is not worth asking for again. */
const PAUSE_MS = 60_000;
const MAX_REMEMBERED = 10_000;

interface Renewal {
  readonly at: number;
  readonly task: Promise<Task>;
}

/** New links in place of those that have ended: a vendor that is asked for a finished task may sign new ones. */
export class Renewals {
  readonly #deps: RenewalDeps;
  readonly #known = new Map<string, Renewal>();

  constructor(deps: RenewalDeps) {
    this.#deps = deps;
  }

  /** The task with the links that its vendor has for it now. However many ask, the vendor is asked once a minute. */
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
