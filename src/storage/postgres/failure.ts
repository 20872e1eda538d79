import { isAssertionError } from "#lib/assertion-error.ts";
import type { Verdict } from "../accounts/group-commit.ts";

/** Classes of SQLSTATE for invalid data. */
const BAD_CLASSES = ["22", "23"];
const READ_ONLY = "25006";
const DISK_FULL = "53100";
const CONFLICTS = ["40001", "40P01"];
const UNPREPARED = ["26000", "42P05"];
/** Wrong password, unknown role or database: waiting does not help. */
const HOPELESS_CLASSES = ["28", "3D"];

export function judge(error: unknown): Verdict {
  const isOurs =
    error instanceof TypeError || error instanceof RangeError || isAssertionError(error);
  if (isOurs || BAD_CLASSES.includes(stateOf(error).slice(0, 2))) return "bad";
  return stateOf(error) === DISK_FULL ? "full" : "wait";
}

/** A conflict with another transaction: retry at once. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.includes(stateOf(error));
}

/** A pooler gave the connection to another server, which knows no prepared statement of ours. */
export function isUnprepared(error: unknown): boolean {
  return UNPREPARED.includes(stateOf(error));
}

export function isHopeless(error: unknown): boolean {
  return HOPELESS_CLASSES.includes(stateOf(error).slice(0, 2));
}

/**
 * The server answered, so the connection works. The exception is a server that
 * failed over: it stays read-only forever.
 */
export function isStillGood(error: unknown): boolean {
  const isFromServer = error instanceof Error && "severity" in error;
  return isFromServer && stateOf(error) !== READ_ONLY;
}

function stateOf(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}
