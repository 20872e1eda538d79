import { paintedVideo } from "./video.ts";
import type { ResultFiles } from "../engine/result-files.ts";
import { stateOf } from "../engine/tasks.ts";
import type { JsonObject } from "../json.ts";
import { unitsOf, UNIT_USD, type KlingTask } from "./order.ts";

/** The task as the older style tells of it, without the envelope. */
export function v1Body(task: KlingTask, at: number, results: Results): JsonObject {
  const { status, isDone, message, since } = standing(task, at);
  const units = unitsOf(task.requested);
  const dollars = amount(units * UNIT_USD);
  return {
    task_id: task.id,
    task_status: status === "succeeded" ? "succeed" : status,
    task_status_msg: message,
    task_info: task.externalId === undefined ? {} : { external_task_id: task.externalId },
    watermark_info: { enabled: task.requested.hasWatermark },
    ...(isDone
      ? {
          task_result: { videos: [videoOf(task, results, oneDecimal)] },
          final_unit_deduction: amount(units),
          final_balance_deduction: { quota: dollars, list_price: dollars },
        }
      : {}),
    created_at: task.createdAt,
    updated_at: since,
  };
}

/** The same in the newer style. */
export function v3Body(task: KlingTask, at: number, results: Results): JsonObject {
  const { status, isDone, message, since } = standing(task, at);
  const units = unitsOf(task.requested);
  const dollars = amount(units * UNIT_USD);
  const billing = [
    { charge_type: "unit", package_type: "video", amount: amount(units) },
    {
      charge_type: "cash",
      cash_type: "balance",
      amount: dollars,
      currency: "USD",
      list_price: dollars,
    },
  ];
  return {
    id: task.id,
    status,
    message,
    create_time: task.createdAt,
    update_time: since,
    ...(task.externalId === undefined ? {} : { external_id: task.externalId }),
    outputs: isDone ? [{ type: "video", ...videoOf(task, results, threeDecimals) }] : [],
    billing: isDone ? billing : [],
  };
}

interface Results {
  readonly files: ResultFiles;
  /** How long links are good for. */
  readonly validSeconds: number;
}

/** Expired tasks have no status of their own: they have failed. */
function standing(task: KlingTask, at: number) {
  const { phase, since } = stateOf(task, at);
  const isDone = phase === "succeeded";
  const status =
    phase === "queued"
      ? "submitted"
      : phase === "running"
        ? "processing"
        : isDone
          ? phase
          : "failed";
  return { status, isDone, since, message: status === "failed" ? failureOf(task, phase) : "" };
}

export function statusOf(task: KlingTask, at: number): string {
  return standing(task, at).status;
}

function failureOf({ marks }: KlingTask, phase: string): string {
  if (marks.has("moderate")) return "Failure to pass the risk control system";
  return phase === "expired" ? "Task timed out" : "Server internal error";
}

function videoOf(
  task: KlingTask,
  { files, validSeconds }: Results,
  write: (seconds: number) => string,
): JsonObject {
  const { make, seconds } = paintedVideo(task.requested);
  const common = {
    origin: task.origin,
    publishedAt: task.endsAt,
    validSeconds,
    contentType: "video/mp4",
    make,
  };
  return {
    id: `${task.id}-v1`,
    url: files.publish({ ...common, name: `${task.id}/video.mp4` }),
    watermark_url: task.requested.hasWatermark
      ? files.publish({ ...common, name: `${task.id}/watermarked.mp4` })
      : "",
    duration: write(seconds),
  };
}

/** Rounded up in the older style, cut in the newer one. */
function oneDecimal(seconds: number): string {
  return (Math.ceil(seconds * 10) / 10).toFixed(1);
}

function threeDecimals(seconds: number): string {
  return (Math.floor(seconds * 1_000) / 1_000).toFixed(3);
}

function amount(value: number): string {
  return String(Math.round(value * 10_000) / 10_000);
}
