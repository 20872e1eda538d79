import { invalid } from "#core/error.ts";
import { estimateInputTokens } from "#core/count.ts";
import type { InboundStyle } from "#core/style.ts";
import { pushStream } from "#lib/push-stream.ts";
import type { Answer } from "#relay/call.ts";
import { relay } from "#relay/relay.ts";
import { chat } from "#styles/text/chat/index.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { REQUEST as CHAT_REQUEST } from "#styles/text/chat/fields.ts";
import type { HttpDeps } from "../deps.ts";
import { requireKey } from "../require-key.ts";
import type { Exchange, Route } from "../routes.ts";

export const createChatCompletion: Route<HttpDeps> = {
  method: "POST",
  path: "/v1/chat/completions",
  access: "key",
  summary:
    "Generates text in the chat-completions style; `stream: true` answers with server-sent events.",
  requestSchema: () => schemaOf(CHAT_REQUEST),
  renderError: (error) => chat.inbound.buildError(error),
  handle: (exchange, deps) => generate(exchange, chat, deps),
};

/** A text call in any style: read it, relay it, and answer in the same style. */
async function generate(
  exchange: Exchange,
  style: InboundStyle,
  deps: HttpDeps,
): Promise<Response> {
  const body = await exchange.readJson(deps.limits.bodyBytes);
  const facts = style.inbound.readRequest(body.json, {});
  const { messages } = deps.limits;
  if (facts.messages > messages) {
    throw invalid("messages", `The conversation has more than ${messages} messages.`);
  }

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
      header: (name) => exchange.request.headers.get(name) ?? undefined,
      isStrict: exchange.request.headers.get("sluice-strict") === "true",
      signal: exchange.signal,
      at: deps.clock.now(),
      startedAt: deps.clock.monotonic(),
    },
    deps.relay,
  );
  if (answer.kind === "stream") exchange.setStall(deps.limits.callerStallMs);
  return respond(answer, exchange.id);
}

function respond(answer: Answer, requestId: string): Response {
  const headers: Record<string, string> = {
    ...(answer.kind === "whole" ? WHOLE_HEADERS : STREAM_HEADERS),
    "x-request-id": requestId,
    "request-id": requestId,
  };
  if (answer.lost.length > 0) headers["sluice-lossy"] = answer.lost.join(", ");
  const body = answer.kind === "whole" ? answer.body : pushStream((sink) => answer.send(sink));
  return new Response(body, { headers });
}

const WHOLE_HEADERS = { "content-type": "application/json" };

const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  // Asks a proxy in front not to collect the events.
  "x-accel-buffering": "no",
};
