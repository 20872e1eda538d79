import { yieldToEventLoop } from "#lib/yield-to-event-loop.ts";
import { Pieces, sizeOf, type Body } from "#lib/pieces.ts";
import { pushStream, type Sink } from "#lib/push-stream.ts";

/** An answer on its way to its caller, while it can still be looked at. */
export type Reply = WholeReply | StreamedReply;

export interface WholeReply {
  readonly kind: "whole";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

export interface StreamedReply {
  readonly kind: "stream";
  readonly headers: Readonly<Record<string, string>>;
  /** Nothing in it could tell of a failure: only a cut connection keeps half of it from looking whole. */
  readonly isWordless?: boolean;
  /** Writes it out; true when it came to its proper end. Not called where the caller left before. */
  fill(sink: Sink): Promise<boolean>;
}

/** A success, with the id by which its request can be asked about. */
export function toResponse(reply: Reply, requestId: string): Response {
  const headers = { ...reply.headers, "x-request-id": requestId, "request-id": requestId };
  if (reply.kind === "whole") return new Response(bodyOf(reply.body), { headers });
  const body = pushStream(async (sink) => {
    const isWhole = await reply.fill(sink);
    return isWhole || reply.isWordless !== true ? "end" : "cut";
  });
  return new Response(body, { headers });
}

/** What is not put together is written as its caller takes it, and others have their turns in between. */
function bodyOf(body: Body): Exclude<Body, Pieces> | ReadableStream<Uint8Array> {
  if (!(body instanceof Pieces)) return body;
  return pushStream(async (sink) => {
    for (const piece of body) {
      await yieldToEventLoop(sizeOf(piece));
      await sink.write(piece);
    }
    return "end";
  });
}

/** Of every answer that is streamed, beside its type. */
export const STREAM_HEADERS = {
  "cache-control": "no-cache",
  // Asks a proxy in front not to collect the events.
  "x-accel-buffering": "no",
};

export const SERVER_SENT_EVENTS = "text/event-stream; charset=utf-8";
