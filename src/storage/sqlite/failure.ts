import type { Verdict } from "../accounts/group-commit.ts";

/** An error of SQLite, also from the writer thread. */
export class SqliteFailure extends Error {
  override readonly name = "SqliteFailure";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export const THREAD_DIED = "THREAD_DIED";

/** Codes after which a file or its disk cannot be trusted. */
const FATAL = ["SQLITE_IOERR", "SQLITE_CORRUPT", "SQLITE_NOTADB", THREAD_DIED];
const BAD = ["SQLITE_CONSTRAINT", "SQLITE_MISMATCH", "SQLITE_TOOBIG", "SQLITE_RANGE"];

export function judge(error: unknown): Verdict {
  const code = codeOf(error);
  // Without a code: the value could not be bound.
  if (code === "" || BAD.some((prefix) => code.startsWith(prefix))) return "bad";
  if (code === "SQLITE_FULL") return "full";
  return FATAL.some((prefix) => code.startsWith(prefix)) ? "fatal" : "wait";
}

export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith("SQLITE_BUSY");
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}
