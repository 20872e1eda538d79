import type { Json } from "../json.ts";
import type { VendorError } from "../vendor.ts";
import type { Frame } from "./frame.ts";

/** What a vendor answers, before it becomes bytes. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ReplyBody;
}

type ReplyBody =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly tokens: number }
  | {
      readonly kind: "events";
      readonly frames: Iterable<Frame>;
      readonly fail?: StreamFailure;
      readonly form?: StreamForm;
    }
  /** The beginning of a body that goes on with blanks for ever. */
  | { readonly kind: "endless"; readonly head: string };

/** Server-sent events with either end of line, which is "lf" unless told, or the elements of one JSON array. */
export type StreamForm = "lf" | "crlf" | "array";

/** How a stream that has begun ends in an error, where that depends on what it has said so far. */
type StreamFailure = (error: VendorError) => readonly Frame[];

export function jsonReply(
  status: number,
  value: Json,
  headers: Readonly<Record<string, string>> = {},
  tokens = 0,
): Reply {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: { kind: "bytes", bytes, tokens },
  };
}

export function bytesReply(
  bytes: Uint8Array,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
  tokens = 0,
): Reply {
  return {
    status: 200,
    headers: { "content-type": contentType, ...headers },
    body: { kind: "bytes", bytes, tokens },
  };
}

export function textReply(status: number, text: string, contentType: string): Reply {
  const bytes = new TextEncoder().encode(text);
  return {
    status,
    headers: { "content-type": contentType },
    body: { kind: "bytes", bytes, tokens: 0 },
  };
}

export function eventsReply(
  frames: Iterable<Frame>,
  headers: Readonly<Record<string, string>> = {},
  fail?: StreamFailure,
): Reply {
  return {
    status: 200,
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      ...headers,
    },
    body: { kind: "events", frames, ...(fail === undefined ? {} : { fail }) },
  };
}
