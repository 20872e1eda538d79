import { estimateInputTokens } from "#core/count.ts";
import { invalid } from "#core/error.ts";
import type { Address, InboundStyle, RequestBody } from "#core/style.ts";
import { pushStream, type Sink } from "#lib/push-stream.ts";
import type { Answer, StreamedAnswer, WholeAnswer } from "#relay/call.ts";
import { relay } from "#relay/relay.ts";
import type { HttpDeps } from "#http/deps.ts";
import { requireKey } from "#http/require-key.ts";
import type { Exchange } from "#http/routes.ts";

/** What some endpoints do differently. */
export interface Generation {
  /** What the path says. */
  readonly address?: Address;
  /** The body to serve in place of the caller's. */
  prepare?(body: RequestBody): Promise<RequestBody>;
  /** Sees an answer before it leaves, or sends it in another framing. */
  readonly outlet?: Outlet;
}

export interface Outlet {
  /** Before a whole answer leaves. */
  whole?(answer: WholeAnswer): Promise<void>;
  stream?(answer: StreamedAnswer, sink: Sink): Promise<void>;
  /** Of a stream; server-sent events where nothing else is said. */
  readonly contentType?: string;
}

/** A text call in any style: read it, relay it, and answer in the same style. */
export async function generate(
  exchange: Exchange,
  style: InboundStyle,
  deps: HttpDeps,
  { address = {}, prepare, outlet = {} }: Generation = {},
): Promise<Response> {
  const sent = await exchange.readJson(deps.limits.bodyBytes);
  const facts = style.inbound.readRequest(sent.json, address);
  const body = prepare === undefined ? sent : await prepare(sent);
  const { messages } = deps.limits;
  if (facts.messages > messages) {
    throw invalid("messages", `The conversation has more than ${messages} messages.`);
  }

  const { headers } = exchange.request;
  // From here on the upstream's deadlines apply; a long think is not a dead connection.
  using _patience = exchange.waitLong();
  const answer = await relay(
    {
      id: exchange.id,
      key: requireKey(exchange),
      style,
      body,
      facts,
      inputTokens: estimateInputTokens(body.json),
      header: (name) => headers.get(name) ?? undefined,
      isStrict: headers.get("sluice-strict") === "true",
      signal: exchange.signal,
      at: deps.clock.now(),
      startedAt: deps.clock.monotonic(),
    },
    deps.relay,
  );
  if (answer.kind === "stream") exchange.setStall(deps.limits.callerStallMs);
  else await outlet.whole?.(answer);
  return respond(answer, exchange.id, style, outlet, deps);
}

function respond(
  answer: Answer,
  requestId: string,
  style: InboundStyle,
  outlet: Outlet,
  { onStream }: HttpDeps,
): Response {
  const headers: Record<string, string> = {
    ...(answer.kind === "whole" ? WHOLE_HEADERS : STREAM_HEADERS),
    "x-request-id": requestId,
    "request-id": requestId,
  };
  if (answer.lost.length > 0) headers["sluice-lossy"] = answer.lost.join(", ");
  if (answer.kind === "whole") return new Response(answer.body, { headers });

  if (outlet.contentType !== undefined) headers["content-type"] = outlet.contentType;
  const watched =
    onStream !== undefined && answer.isTranslated ? watch(answer, style, onStream) : answer;
  return new Response(
    pushStream(async (sink) => {
      await (outlet.stream?.(watched, sink) ?? watched.send(sink));
    }),
    { headers },
  );
}

function watch(
  answer: StreamedAnswer,
  style: InboundStyle,
  onStream: (style: string, text: string) => void,
): StreamedAnswer {
  return {
    ...answer,
    async send(sink) {
      const pieces: Uint8Array[] = [];
      const isWhole = await answer.send({
        write(piece) {
          pieces.push(Buffer.from(piece));
          return sink.write(piece);
        },
      });
      if (isWhole) onStream(style.id, Buffer.concat(pieces).toString());
      return isWhole;
    },
  };
}

const WHOLE_HEADERS = { "content-type": "application/json" };

const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  // Asks a proxy in front not to collect the events.
  "x-accel-buffering": "no",
};
