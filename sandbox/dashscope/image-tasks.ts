import type { JsonObject } from "#sandbox/json.ts";
import { NativeError } from "./native.ts";

/** Pictures that are drawn later, and asked for until they are there. */
export interface ImageTasks {
  /** `draw` gives a result for each picture once it is due; the refusal that it throws makes the task fail. */
  submit(key: string, draw: () => readonly JsonObject[]): JsonObject;
  get(key: string, id: string): TaskState;
}

export interface TaskState {
  readonly output: JsonObject;
  /** Of a task that has succeeded. */
  readonly imageCount?: number;
}

interface Task {
  readonly key: string;
  readonly draw: () => readonly JsonObject[];
  readonly submittedAt: number;
  /** Kept, so that the links stay the same however often it is asked for. */
  end?: TaskState;
}

export function imageTasks(now: () => number): ImageTasks {
  const kept = new Map<string, Task>();

  return {
    submit(key, draw) {
      const id = crypto.randomUUID();
      kept.set(id, { key, draw, submittedAt: now() });
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      return { task_id: id, task_status: "PENDING" };
    },

    get(key, id) {
      const task = kept.get(id);
      const isKnown = task?.key === key && now() < task.submittedAt + LIFE_MS;
      if (!isKnown) return { output: { task_id: id, task_status: "UNKNOWN" } };
      const { output, ...count } = stateOf(task, now() - task.submittedAt);
      return { output: { task_id: id, ...output }, ...count };
    },
  };
}

const MAX_KEPT = 1_000;
const LIFE_MS = 24 * 3_600_000;

/** When it begins, and when it is done. */
const RUNS_AFTER_MS = 100;
const ENDS_AFTER_MS = 400;

function stateOf(task: Task, ageMs: number): TaskState {
  const submitted = { submit_time: written(task.submittedAt) };
  if (ageMs < RUNS_AFTER_MS)
    return { output: { task_status: "PENDING", ...submitted, task_metrics: metrics(0, 0) } };
  const scheduled = { ...submitted, scheduled_time: written(task.submittedAt + RUNS_AFTER_MS) };
  if (ageMs < ENDS_AFTER_MS)
    return { output: { task_status: "RUNNING", ...scheduled, task_metrics: metrics(0, 0) } };

  task.end ??= endOf(task.draw);
  const { output, ...count } = task.end;
  const end_time = written(task.submittedAt + ENDS_AFTER_MS);
  return { output: { ...output, ...scheduled, end_time }, ...count };
}

function endOf(draw: Task["draw"]): TaskState {
  try {
    const results = draw();
    return {
      output: { task_status: "SUCCEEDED", results, task_metrics: metrics(results.length, 0) },
      imageCount: results.length,
    };
  } catch (cause) {
    if (!(cause instanceof NativeError)) throw cause;
    const { code, message } = cause;
    return { output: { task_status: "FAILED", code, message, task_metrics: metrics(0, 1) } };
  }
}

/** Of the one picture that a task draws. */
function metrics(succeeded: number, failed: number): JsonObject {
  return { TOTAL: 1, SUCCEEDED: succeeded, FAILED: failed };
}

/** "2026-05-01 10:00:00.000", in the vendor's time zone. */
function written(at: number): string {
  return new Date(at + CHINA_MS).toISOString().slice(0, -1).replace("T", " ");
}

const CHINA_MS = 8 * 3_600_000;
