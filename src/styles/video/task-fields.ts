import { GatewayError, type FaultCode } from "#core/error.ts";
import type { HeldPicture } from "#core/image.ts";
import type { TaskFailure } from "#core/video.ts";
import type { Json } from "#lib/json.ts";
import { scrub } from "#styles/scrub.ts";
import { textOf } from "#lib/values.ts";

const MAX_ID_CHARS = 256;
const MAX_LINK_CHARS = 8_192;

/**
 * An id as text. Numbers beyond the exact integer range were already rounded, so they are ignored.
 */
export function idOf(value: Json | undefined): string | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : undefined;
  const id = textOf(value) ?? "";
  return id === "" || id.length > MAX_ID_CHARS ? undefined : id;
}

/** The id of a created task. Throws without one: the outcome of the request is then unknown. */
export function takenOn(value: Json | undefined): string {
  const id = idOf(value);
  if (id !== undefined) return id;
  throw new GatewayError("upstream_failed", "The upstream's response has no task id.");
}

export function linkIn(value: Json | undefined): string | undefined {
  const link = textOf(value) ?? "";
  return /^https?:\/\//i.test(link) && link.length <= MAX_LINK_CHARS ? link : undefined;
}

/** The URL of a video; empty if the response contains the video as a data URI. */
export function addressIn(value: Json | undefined): string | undefined {
  return linkIn(value) ?? (isData(value) ? "" : undefined);
}

/** The video at an index of a response's URLs, if it is a data URI. */
export function heldAmong(
  addresses: readonly (Json | undefined)[],
  index: number,
): HeldPicture | undefined {
  const uri = addresses.filter((each) => addressIn(each) !== undefined)[index];
  if (!isData(uri)) return undefined;
  const comma = uri.indexOf(",");
  const mediaType = uri.slice("data:".length, uri.indexOf(";")).toLowerCase();
  return { kind: "base64", base64: uri.slice(comma + 1), mediaType };
}

const DATA = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w.+=-]+)*;base64,./i;
/** Longer than any valid head of a data URI. */
const DATA_HEAD_CHARS = 256;

function isData(value: Json | undefined): value is string {
  return typeof value === "string" && DATA.test(value.slice(0, DATA_HEAD_CHARS));
}

/** Seconds as a number or as text: vendors use both. */
export function secondsIn(value: Json | undefined): number | undefined {
  const seconds = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof seconds === "number" && seconds > 0 && seconds < 86_400 ? seconds : undefined;
}

/** The reason of a failed task: the vendor's message, sanitized for the client. */
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

/** Maps a vendor's error codes to fault codes. */
export function faultWords(
  rows: readonly (readonly [FaultCode, string])[],
): ReadonlyMap<string, FaultCode> {
  return new Map(rows.flatMap(([code, words]) => words.split(" ").map((word) => [word, code])));
}
