import type { Insertable, Selectable, Updateable } from "kysely";
import { z } from "zod";
import { nanoUsd, type NanoUsd, type Price } from "#core/money.ts";
import type { Task, TaskChange, TaskPlace, TaskStatus } from "#core/task.ts";
import type { Usage } from "#core/usage.ts";
import type { MadeVideo, TaskFacts, TaskFailure } from "#core/video.ts";
import { defined } from "#lib/values.ts";
import { whole } from "./columns.ts";

export interface TasksTable {
  id: string;
  user_id: number;
  key_id: number;
  entry: string;
  model: string;
  status: TaskStatus;
  channel: string | null;
  provider: string | null;
  upstream_model: string | null;
  format: string | null;
  credential: string | null;
  upstream_id: string | null;
  /** The client's own id. */
  external_id: string | null;
  /** 1 if no other task of the user may have the same external id. */
  owns_external_id: 0 | 1;
  progress: number | null;
  /** JSON of `Details`. */
  details: string;
  held: NanoUsd;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  deadline_at: number;
  due_at: number;
  failures: number;
  misses: number;
  settled: 0 | 1;
  version: number;
  lease_owner: string | null;
  lease_until: number;
  hurried: 0 | 1;
  removed: 0 | 1;
}

/** Fields that no query filters by. */
interface Details {
  readonly facts: TaskFacts;
  readonly failure?: TaskFailure;
  readonly videos: readonly MadeVideo[];
  readonly linksEndAt?: number;
  readonly usage: Usage;
  readonly price?: Price;
  readonly lost: readonly string[];
}

export function rowOf(
  task: Task,
): Omit<
  Insertable<TasksTable>,
  "owns_external_id" | "lease_owner" | "lease_until" | "hurried" | "removed"
> {
  return {
    id: task.id,
    user_id: task.userId,
    key_id: task.keyId,
    entry: task.entry,
    model: task.model,
    status: task.status,
    ...placeColumns(task.place),
    external_id: task.facts.externalId ?? null,
    progress: task.progress === undefined ? null : whole(task.progress),
    details: JSON.stringify(detailsOf(task)),
    held: task.held,
    created_at: whole(task.createdAt),
    started_at: task.startedAt ?? null,
    finished_at: task.finishedAt ?? null,
    deadline_at: whole(task.deadlineAt),
    due_at: whole(task.dueAt),
    failures: task.failures,
    misses: task.misses,
    settled: task.isSettled ? 1 : 0,
    version: task.version,
  };
}

/** The columns of a task after a change. */
export function changedColumns(task: Task, change: TaskChange): Updateable<TasksTable> {
  const { id: _, ...columns } = rowOf({ ...task, ...change, version: task.version + 1 });
  return columns;
}

function placeColumns(place: TaskPlace | undefined) {
  return {
    channel: place?.channel ?? null,
    provider: place?.provider ?? null,
    upstream_model: place?.upstreamModel ?? null,
    format: place?.format ?? null,
    credential: place?.credential ?? null,
    upstream_id: place?.upstreamId ?? null,
  };
}

function detailsOf({ facts, failure, videos, linksEndAt, usage, price, lost }: Task): Details {
  return { facts, videos, usage, lost, ...defined({ failure, linksEndAt, price }) };
}

export function toTask(row: Selectable<TasksTable>): Task {
  const place = toPlace(row);
  return {
    id: row.id,
    userId: row.user_id,
    keyId: row.key_id,
    entry: row.entry,
    model: row.model,
    status: row.status,
    ...toDetails(row.details),
    held: nanoUsd(row.held),
    createdAt: row.created_at,
    deadlineAt: row.deadline_at,
    dueAt: row.due_at,
    failures: row.failures,
    misses: row.misses,
    isSettled: row.settled === 1,
    version: row.version,
    ...defined({
      place,
      progress: row.progress ?? undefined,
      startedAt: row.started_at ?? undefined,
      finishedAt: row.finished_at ?? undefined,
    }),
  };
}

function toPlace(row: Selectable<TasksTable>): TaskPlace | undefined {
  const { channel, provider, upstream_model: upstreamModel, format, credential } = row;
  if (channel === null || provider === null || upstreamModel === null) return undefined;
  return {
    channel,
    provider,
    upstreamModel,
    format: format ?? "",
    credential: credential ?? "",
    ...(row.upstream_id === null ? {} : { upstreamId: row.upstream_id }),
  };
}

/** Only this table writes the column, so the check covers only its basic structure. */
function toDetails(text: string): Details {
  return shape.parse(JSON.parse(text));
}

const shape = z.custom<Details>(
  (value) =>
    typeof value === "object" &&
    value !== null &&
    "facts" in value &&
    "usage" in value &&
    "videos" in value &&
    Array.isArray(value.videos),
);
