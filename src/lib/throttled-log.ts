import { describeError, type Logger } from "./log.ts";

type Level = "warn" | "error";
type Fields = Readonly<Record<string, unknown>>;

interface Line {
  readonly level: Level;
  readonly fields: Fields;
  readonly message: string;
}

/** Repeated failures of one kind since its last line. */
interface Kind {
  count: number;
  last: Line | undefined;
}

interface ThrottleOptions {
  /** Minimum interval between two lines of one kind. */
  readonly intervalMs?: number;
}

const INTERVAL_MS = 1_000;
const MAX_KINDS = 1_000;

/**
 * Writes at most one line per second for each kind of failure. The first is
 * written at once; repetitions are written as their last line with a `count`.
 */
export class ThrottledLog implements Disposable {
  readonly #log: Logger;
  readonly #intervalMs: number;
  readonly #kinds = new Map<string, Kind>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(log: Logger, { intervalMs = INTERVAL_MS }: ThrottleOptions = {}) {
    this.#log = log;
    this.#intervalMs = intervalMs;
  }

  write(level: Level, kind: string, fields: Fields, message: string): void {
    const known = this.#kinds.get(kind);
    if (known !== undefined) {
      known.count++;
      known.last = { level, fields, message };
      return;
    }
    if (this.#kinds.size >= MAX_KINDS) this.#flush();
    this.#kinds.set(kind, { count: 0, last: undefined });
    this.#log[level](fields, message);
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#flush(), this.#intervalMs);
      this.#timer.unref();
    }
  }

  /** Logs a failure; its kind follows from its first known code. */
  error(where: string, cause: unknown, message: string, fields: Fields = {}): void {
    const { type, code, cause: inner } = describeError(cause);
    const kind = `${where} ${type} ${code ?? inner?.code ?? ""}`;
    this.write("error", kind, { ...fields, err: cause }, message);
  }

  /** Writes the pending counts. */
  [Symbol.dispose](): void {
    this.#flush();
    this.#kinds.clear();
    this.#stop();
  }

  /** A kind without repetitions is dropped, so that its next line is written at once. */
  #flush(): void {
    for (const [name, kind] of this.#kinds) {
      const { last, count } = kind;
      if (last === undefined) {
        this.#kinds.delete(name);
        continue;
      }
      this.#log[last.level]({ ...last.fields, count }, last.message);
      kind.count = 0;
      kind.last = undefined;
    }
    if (this.#kinds.size === 0) this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
