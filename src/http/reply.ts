import { yieldToEventLoop } from "#lib/yield-to-event-loop.ts";
import { Pieces, sizeOf, type Body } from "#lib/pieces.ts";
import { pushStream, type Sink } from "#lib/push-stream.ts";

/** A response that is not yet sent and can still be inspected. */
export type Reply = WholeReply | StreamedReply;

export interface WholeReply {
  readonly kind: "whole";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

export interface StreamedReply {
  readonly kind: "stream";
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The format has no field for an error: cut the connection, otherwise half of it looks complete.
   */
  readonly isWordless?: boolean;
  /** Writes the body; true if it is complete. Not called if the client has already disconnected. */
  fill(sink: Sink): Promise<boolean>;
}

/**
 * A success response with its request id, by which an operator can look up the call. `more` are
 * headers that would otherwise be set on the finished response, one by one.
 */
export function toResponse(
  reply: Reply,
  requestId: string,
  more?: Readonly<Record<string, string>>,
): Response {
  const headers = { ...reply.headers, "x-request-id": requestId, "request-id": requestId };
  if (more !== undefined) Object.assign(headers, more);
  if (reply.kind === "whole") return new Response(bodyOf(reply.body), { headers });
  return new Response(streamOf(reply), { headers });
}

function streamOf({ fill, isWordless }: StreamedReply): ReadableStream<Uint8Array> {
  return pushStream(async (sink) => {
    const isWhole = await fill(sink);
    return isWhole || isWordless !== true ? "end" : "cut";
  });
}

/** A body in pieces is written as the client reads it, so other requests run in between. */
function bodyOf(body: Body): Exclude<Body, Pieces> | ReadableStream<Uint8Array> {
  return body instanceof Pieces ? streamOfPieces(body) : body;
}

function streamOfPieces(body: Pieces): ReadableStream<Uint8Array> {
  return pushStream(async (sink) => {
    for (const piece of body) {
      await yieldToEventLoop(sizeOf(piece));
      await sink.write(piece);
    }
    return "end";
  });
}

/** Headers of every streamed response, beside its content type. */
export const STREAM_HEADERS = {
  "cache-control": "no-cache",
  // Tells a reverse proxy not to buffer the events.
  "x-accel-buffering": "no",
};

export const SERVER_SENT_EVENTS = "text/event-stream; charset=utf-8";
