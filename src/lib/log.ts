import { writeSync } from "node:fs";
import { pino, type DestinationStream, type Logger } from "pino";
import { isAssertionError } from "./assertion-error.ts";

export type { Logger } from "pino";

/**
 * Writes one JSON object per line to standard error; standard output belongs to
 * commands. Data from clients and upstreams is never logged at any level: of an
 * error only its type, its code and its stack.
 */
export function openLog(level: string, destination?: DestinationStream): Logger {
  const tapped = new TappedLog(destination ?? openDestination(STANDARD_ERROR));
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describeError },
    },
    tapped,
  );
  taps.set(log, tapped);
  return log;
}

const taps = new WeakMap<Logger, TappedLog>();

/** Lines go to the destination of the log, and to those who tap it. */
export class TappedLog implements DestinationStream {
  readonly #destination: DestinationStream;
  readonly #taps = new Set<(line: string) => void>();

  constructor(destination: DestinationStream) {
    this.#destination = destination;
  }

  /** Undefined for a log that `openLog` did not open. */
  static of(log: Logger): TappedLog | undefined {
    return taps.get(log);
  }

  /** Returns the function that ends it. */
  tap(onLine: (line: string) => void): () => void {
    this.#taps.add(onLine);
    return () => void this.#taps.delete(onLine);
  }

  write(line: string): void {
    this.#destination.write(line);
    for (const onLine of this.#taps) onLine(line);
  }
}

const STANDARD_ERROR = 2;
const MAX_RETRIES = 50;
const RETRY_MS = 2;

/**
 * Writes each line at once. A line that cannot be written, because the disk is
 * full or the pipe is blocked, is dropped. pino's own destination would keep
 * such lines in memory and block the exit.
 */
function openDestination(fd: number): DestinationStream {
  return {
    write(line) {
      let rest = Buffer.from(line);
      let retries = 0;
      while (rest.length > 0) {
        try {
          rest = rest.subarray(writeSync(fd, rest));
        } catch (cause) {
          const isBusy = cause instanceof Error && "code" in cause && cause.code === "EAGAIN";
          if (!isBusy || retries++ >= MAX_RETRIES) return;
          Atomics.wait(NEVER, 0, 0, RETRY_MS);
        }
      }
    },
  };
}

const NEVER = new Int32Array(new SharedArrayBuffer(4));

interface DescribedError {
  readonly type: string;
  readonly code?: string;
  /** Present only if it is known to contain no data. */
  readonly message?: string;
  readonly stack?: readonly string[];
  readonly cause?: DescribedError;
}

const MAX_CAUSES = 4;
const MAX_FRAMES = 12;

/**
 * An error without its message. Messages of databases, parsers and libraries
 * quote values, which belong to clients or vendors.
 */
export function describeError(cause: unknown, depth = 0): DescribedError {
  if (!(cause instanceof Error)) return { type: typeof cause };
  const code = codeOf(cause);
  const message = hasSafeMessage(cause) ? cause.message : undefined;
  const stack = framesOf(cause);
  const inner = cause.cause;
  return {
    type: cause.constructor.name,
    ...(code === undefined ? {} : { code }),
    ...(message === undefined ? {} : { message }),
    ...(stack.length === 0 ? {} : { stack }),
    ...(inner instanceof Error && depth < MAX_CAUSES
      ? { cause: describeError(inner, depth + 1) }
      : {}),
  };
}

/** A code of the operating system, of a database, or of our own errors. */
const CODE = /^(E[A-Z0-9_]{2,40}|SQLITE_[A-Z_]{2,40}|[0-9A-Z]{5}|[a-z_]{3,40})$/;

function codeOf(error: Error): string | undefined {
  const code: unknown = "code" in error ? error.code : undefined;
  return typeof code === "string" && CODE.test(code) ? code : undefined;
}

/** The runtime quotes source text in single quotes, and values in double quotes. */
const OF_SOURCE = /^(undefined|null) is not |^Cannot access |\(evaluating '/;

function hasSafeMessage(error: Error): boolean {
  if (isAssertionError(error)) return !error.generatedMessage;
  const isOfEngine = error instanceof TypeError || error instanceof ReferenceError;
  return isOfEngine && OF_SOURCE.test(error.message) && !error.message.includes('"');
}

const FRAME = /^\s*at .{0,200}:\d+(:\d+)?\)?$/;

function framesOf({ stack = "", message }: Error): readonly string[] {
  // A message may contain lines that look like stack frames.
  const start = message === "" ? 0 : stack.indexOf(message) + message.length;
  return stack
    .slice(Math.max(0, start))
    .split("\n")
    .filter((line) => FRAME.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => line.trim());
}
