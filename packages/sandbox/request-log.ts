import type { Json } from "./json.ts";

/** What was received, and what the caller really got of the answer. */
export interface RequestRecord {
  readonly id: number;
  readonly receivedAt: number;
  readonly method: string;
  /** With the vendor's prefix, without the query. */
  readonly path: string;
  /** What stood behind the question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or the fields of a form that are no files. */
  readonly body: Json | undefined;
  readonly bodySizeBytes: number;
  readonly faults: readonly string[];
  /** `undefined` until the headers of the answer have left. */
  readonly status: number | undefined;
  /** Counted when the connection has taken the bytes, not when they were made. */
  readonly delivered: Readonly<Delivered>;
  /** `aborted` by the caller, or `cut` by a fault or the end of the sandbox. */
  readonly state: "open" | "finished" | "aborted" | "cut";
  readonly finishedAt: number | undefined;
  readonly abortedAt: number | undefined;
}

interface Delivered {
  bytes: number;
  events: number;
  tokens: number;
}

export interface RequestLog {
  readonly records: readonly RequestRecord[];
  open(received: Received): OpenRecord;
}

type Received = Pick<
  RequestRecord,
  "method" | "path" | "query" | "headers" | "body" | "bodySizeBytes" | "faults"
>;

/** A record that is still being written. */
export interface OpenRecord {
  readonly record: RequestRecord;
  answered(status: number): void;
  delivered(part: Delivered): void;
  close(state: "finished" | "aborted" | "cut"): void;
}

/** Keeps the last requests, fewer of them when their bodies are big. */
export function requestLog(now: () => number): RequestLog {
  const records: RequestRecord[] = [];
  let count = 0;
  let keptBytes = 0;

  function keep(record: RequestRecord): void {
    records.push(record);
    keptBytes += record.bodySizeBytes;
    while (records.length > MAX_RECORDS || (keptBytes > MAX_KEPT_BYTES && records.length > 1)) {
      keptBytes -= records.shift()?.bodySizeBytes ?? 0;
    }
  }

  return {
    records,
    open(received) {
      const delivered: Delivered = { bytes: 0, events: 0, tokens: 0 };
      const record: Writable<RequestRecord> = {
        ...received,
        id: ++count,
        receivedAt: now(),
        status: undefined,
        delivered,
        state: "open",
        finishedAt: undefined,
        abortedAt: undefined,
      };
      keep(record);

      return {
        record,
        answered(status) {
          record.status = status;
        },
        delivered(part) {
          delivered.bytes += part.bytes;
          delivered.events += part.events;
          delivered.tokens += part.tokens;
        },
        close(state) {
          if (record.state !== "open") return;
          record.state = state;
          if (state === "finished") record.finishedAt = now();
          if (state === "aborted") record.abortedAt = now();
        },
      };
    },
  };
}

const MAX_RECORDS = 1_000;
const MAX_KEPT_BYTES = 128 * 1_048_576;

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
