import type { GatewayError } from "#core/error.ts";
import { isOver, type Task, type TaskChange } from "#core/task.ts";
import { expectedUsage, type TaskFacts, type TaskFailure, type TaskUpdate } from "#core/video.ts";
import type { Usage } from "#core/usage.ts";

/** A vendor may not find a task immediately after creating it. */
const MIN_MISSING_AGE_MS = 60_000;
const MAX_MISSES = 3;
/** Maximum time for a task whose acceptance by the vendor is unknown. */
const UNKNOWN_MS = 15 * 60_000;
const SLOWEST_MS = 60_000;
/** Young tasks are polled often; older ones less often. */
const PAUSES_MS = [2_000, 3_000, 5_000, 5_000, 8_000, 10_000, 15_000];
const JITTER = 0.2;

/** Applies an update to a running task. */
export function applyUpdate(update: TaskUpdate, task: Task, now: number): TaskChange {
  switch (update.state) {
    case "queued":
    case "running":
      return advanced(update, task, now);
    case "succeeded": {
      if (update.videos.length === 0) return failed(EMPTY_RESULT, now);
      const facts = { ...task.facts, ...update.facts };
      return {
        status: "succeeded",
        videos: update.videos,
        usage: update.usage ?? usageOfMade(facts, update.videos.length, task),
        facts,
        progress: 100,
        startedAt: task.startedAt ?? now,
        finishedAt: now,
        ...(update.linksEndAt === undefined ? {} : { linksEndAt: update.linksEndAt }),
      };
    }
    case "failed":
      return { ...failed(update.failure, now), ...(update.usage && { usage: update.usage }) };
    case "missing": {
      const misses = task.misses + 1;
      const isOld = now - task.createdAt >= MIN_MISSING_AGE_MS;
      if (isOld && misses >= MAX_MISSES) return failed(GONE, now);
      return { misses, dueAt: nextPollAt(task, now) };
    }
  }
}

/** If a vendor reports no usage: the expected usage, adjusted to the actual result. */
function usageOfMade(facts: TaskFacts, made: number, { usage, facts: asked }: Task): Usage {
  const { count = 1, seconds } = facts;
  if (made >= count && seconds === asked.seconds) return usage;
  const { inputTokens } = usage;
  return { ...expectedUsage({ ...facts, count: Math.min(made, count) }, {}), inputTokens };
}

const EMPTY_RESULT: TaskFailure = {
  code: "empty_result",
  message: "The upstream finished the task without a video.",
};
const GONE: TaskFailure = {
  code: "task_expired",
  message: "The upstream no longer has the task.",
};
const TIMEOUT: TaskFailure = {
  code: "task_timeout",
  message: "The upstream did not finish the task in time.",
};
const UNKNOWN: TaskFailure = {
  code: "submit_unknown",
  message: "It is unknown whether the upstream accepted the task.",
};

function failed(failure: TaskFailure, now: number): TaskChange {
  return { status: "failed", failure, finishedAt: now };
}

/** Applies the result of a search by the gateway's own id to a task with an unknown outcome. */
export function applySearchResult(
  found: string | undefined | null,
  task: Task,
  now: number,
): TaskChange {
  const over = givenUp(task, now);
  if (found === null) return over ?? { dueAt: now + jittered(SLOWEST_MS) };
  if (found !== undefined) {
    const { place } = task;
    return {
      status: "queued",
      misses: 0,
      failures: 0,
      dueAt: now,
      ...(place && { place: { ...place, upstreamId: found } }),
    };
  }
  const misses = task.misses + 1;
  const isOld = now - task.createdAt >= MIN_MISSING_AGE_MS;
  if (over !== undefined || (isOld && misses >= MAX_MISSES)) return failed(UNKNOWN, now);
  return { misses, dueAt: nextPollAt(task, now) };
}

/** After a failed poll: retry with an increasing delay. */
export function afterFailure(error: GatewayError, task: Task, now: number): TaskChange {
  const failures = task.failures + 1;
  const backoff = Math.min(5_000 * 2 ** Math.min(failures - 1, 10), SLOWEST_MS);
  const asked = Math.min(error.retryAfterMs ?? 0, SLOWEST_MS);
  return { failures, dueAt: now + jittered(Math.max(backoff, asked)) };
}

/** Ends a task after its deadline. */
export function givenUp(task: Task, now: number): TaskChange | undefined {
  if (isOver(task)) return undefined;
  if (task.status === "submit_unknown") {
    return now - task.createdAt >= UNKNOWN_MS ? failed(UNKNOWN, now) : undefined;
  }
  return now >= task.deadlineAt ? failed(TIMEOUT, now) : undefined;
}

export function nextPollAt(task: Task, now: number): number {
  const age = now - task.createdAt;
  let sum = 0;
  for (const pause of PAUSES_MS) {
    sum += pause;
    if (age < sum) return now + jittered(pause);
  }
  return now + jittered(PAUSES_MS.at(-1) ?? SLOWEST_MS);
}

/** A jitter, so that tasks that started together are not always polled together. */
function jittered(ms: number): number {
  return Math.round(ms * (1 - JITTER + 2 * JITTER * Math.random()));
}

/** Vendors may report states out of order; only forward transitions are applied. */
function advanced(
  update: Extract<TaskUpdate, { state: "queued" | "running" }>,
  task: Task,
  now: number,
): TaskChange {
  const isStart = update.state === "running" && task.status !== "running";
  const { progress = 0 } = update;
  return {
    ...(isStart ? { status: "running", startedAt: now } : {}),
    ...(task.status === "submit_unknown" ? { status: update.state } : {}),
    ...(progress > (task.progress ?? 0) ? { progress } : {}),
    ...(task.failures === 0 ? {} : { failures: 0 }),
    ...(task.misses === 0 ? {} : { misses: 0 }),
    dueAt: nextPollAt(task, now),
  };
}
