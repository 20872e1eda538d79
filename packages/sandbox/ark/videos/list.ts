import { stateOf } from "@sluice/sandbox/engine/tasks.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import { invalidField } from "./error.ts";
import type { VideoTask } from "./task-body.ts";

/** A page of tasks, the newest first. */
export function listTasks(
  tasks: readonly VideoTask[],
  query: URLSearchParams,
  now: number,
  bodyOf: (task: VideoTask) => JsonObject,
): JsonObject {
  const page = readNumber(query, "page_num", 1);
  const size = readNumber(query, "page_size", 10);
  const ids = query.getAll("filter.task_ids");
  const status = query.get("filter.status");
  if (status !== null && !STATUSES.includes(status))
    throw invalidField("filter.status", `expected one of ${STATUSES.join(", ")}`);
  const model = query.get("filter.model");
  const tier = query.get("filter.service_tier");
  const found = tasks.filter(
    (task) =>
      (ids.length === 0 || ids.includes(task.id)) &&
      (status === null || stateOf(task, now).phase === status) &&
      (model === null || task.requested.model === model) &&
      (tier === null || task.requested.tier === tier),
  );
  const items = found.slice((page - 1) * size, page * size).map((task) => bodyOf(task));
  return { total: found.length, items };
}

const STATUSES: readonly string[] = [
  "queued",
  "running",
  "cancelled",
  "succeeded",
  "failed",
  "expired",
];

function readNumber(query: URLSearchParams, name: string, usual: number): number {
  const text = query.get(name);
  if (text === null) return usual;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= 500) return value;
  throw invalidField(name, "expected an integer from 1 to 500");
}
