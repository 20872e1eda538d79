import { stateOf } from "../engine/tasks.ts";
import type { JsonObject } from "../json.ts";
import { invalidParameter } from "./native.ts";
import type { DashscopeTask } from "./tasks.ts";
import { readTime } from "./times.ts";

/** A page of the tasks of one day, newest first. */
export function listTasks(
  tasks: readonly DashscopeTask[],
  query: URLSearchParams,
  now: number,
  statusOf: (task: DashscopeTask) => string,
): JsonObject {
  const page = readNumber(query, "page_no", 1);
  const size = readNumber(query, "page_size", 10);
  const { from, to } = readWindow(query, now);
  const wanted = ["model_name", "status", "region", "api_key_id"] as const;
  const entries = tasks
    .filter(({ createdAt }) => createdAt >= from && createdAt <= to)
    .map((task) => entryOf(task, now, statusOf(task)))
    .filter((entry) => wanted.every((name) => (query.get(name) ?? entry[name]) === entry[name]));
  return {
    total: entries.length,
    data: entries.slice((page - 1) * size, page * size),
    total_page: Math.ceil(entries.length / size),
    page_no: page,
    page_size: size,
  };
}

function entryOf(task: DashscopeTask, now: number, status: string) {
  const { id, createdAt, runsAt, requested } = task;
  const { phase, since } = stateOf(task, now);
  const isWaiting = phase === "queued" || phase === "cancelled";
  const isOver = phase !== "queued" && phase !== "running";
  return {
    api_key_id: "1",
    caller_parent_id: "1000000000000001",
    caller_uid: "1000000000000001",
    gmt_create: createdAt,
    ...(isWaiting ? {} : { start_time: runsAt }),
    ...(isOver ? { end_time: since } : {}),
    model_name: requested.model,
    region: "cn-beijing",
    request_id: requested.requestId,
    status,
    task_id: id,
    user_api_unique_key: `apikey:v1:${requested.service}:${requested.model}`,
  };
}

function readWindow(query: URLSearchParams, now: number) {
  const to = readMoment(query, "end_time") ?? now;
  const from = readMoment(query, "start_time") ?? to - DAY_MS;
  if (from > to || to - from > DAY_MS)
    throw invalidParameter("The time range must be at most 24 hours.");
  return { from, to };
}

const DAY_MS = 24 * 3_600_000;

function readMoment(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  const at = text === null ? undefined : readTime(text);
  if (text !== null && at === undefined)
    throw invalidParameter(`${name} must be a time as in 20260101120000.`);
  return at;
}

function readNumber(query: URLSearchParams, name: string, usual: number): number {
  const text = query.get(name) ?? String(usual);
  if (/^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 100) return Number(text);
  throw invalidParameter(`${name} must be a whole number from 1 to 100.`);
}
