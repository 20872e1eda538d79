import { GatewayError, type FaultCode } from "#core/error.ts";
import type { TaskFailure } from "#core/video.ts";
import type { Json } from "#lib/json.ts";
import { scrub } from "#styles/scrub.ts";
import { textOf } from "#lib/values.ts";

const MAX_ID_CHARS = 256;
const MAX_LINK_CHARS = 8_192;

/** An id as text. Numbers that are too large to have been read as they were written are none. */
export function idOf(value: Json | undefined): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : undefined;
  const id = textOf(value) ?? "";
  return id === "" || id.length > MAX_ID_CHARS ? undefined : id;
}

/** The id of a task that was taken on: without it, nobody knows what became of the request. */
export function takenOn(value: Json | undefined): string {
  const id = idOf(value);
  if (id !== undefined) return id;
  throw new GatewayError("upstream_failed", "The upstream's answer holds no id of a task.");
}

export function linkIn(value: Json | undefined): string | undefined {
  const link = textOf(value) ?? "";
  return /^https?:\/\//i.test(link) && link.length <= MAX_LINK_CHARS ? link : undefined;
}

/** Seconds as a number or as text, as vendors of either mind have them. */
export function secondsIn(value: Json | undefined): number | undefined {
  const seconds = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof seconds === "number" && seconds > 0 && seconds < 86_400 ? seconds : undefined;
}

/** Why a task failed: the vendor's words made fit for its caller. */
export function failureOf(code: string, said: Json | undefined): TaskFailure {
  const message = scrub(textOf(said) ?? "");
  return {
    code: /^[\w.-]{1,64}$/.test(code) ? code : "task_failed",
    message: message === "" ? "The upstream could not make the video." : message,
  };
}

export const CANCELLED: TaskFailure = {
  code: "task_cancelled",
  message: "The task was cancelled.",
};

export const EXPIRED: TaskFailure = {
  code: "task_expired",
  message: "The upstream gave the task up before it was done.",
};

/** What vendors' own codes of failures mean, by the code. */
export type FaultWords = ReadonlyMap<string, FaultCode>;

export function faultWords(
  rows: readonly (readonly [FaultCode, string])[],
): ReadonlyMap<string, FaultCode> {
  return new Map(rows.flatMap(([code, words]) => words.split(" ").map((word) => [word, code])));
}
