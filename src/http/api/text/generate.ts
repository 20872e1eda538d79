import { invalid } from "#core/error.ts";
import type { Address, InboundStyle, RequestBody, RequestFacts } from "#core/style.ts";
import { mayHoldExact, parseExact } from "#lib/exact-number.ts";
import { isArray, isObject, type JsonObject } from "#lib/json.ts";
import type { Sink } from "#lib/push-stream.ts";
import type { Answer, StreamedAnswer, WholeAnswer } from "#relay/call.ts";
import { relay } from "#relay/relay.ts";
import type { GenerationDeps, TextDeps } from "#http/deps/text.ts";
import { contentLevelOf } from "#http/content-log.ts";
import { lossyHeader } from "#http/lossy-header.ts";
import { withIdempotency } from "#http/idempotency.ts";
import { SERVER_SENT_EVENTS, STREAM_HEADERS, toResponse, type Reply } from "#http/reply.ts";
import type { Exchange } from "#http/routes.ts";
import { TextCall } from "./text-call.ts";

/** Options that differ between endpoints. */
export interface Generation {
  /** Values taken from the path. */
  readonly address?: Address;
  /** Replaces the client's body before it is served. */
  readonly prepare?: Prepare;
  /** Observes a response before it is sent, or sends it with another framing. */
  readonly outlet?: Outlet;
}

type Prepare = (body: RequestBody) => Promise<RequestBody>;

export interface Outlet {
  /** Called before a non-streaming response is sent. */
  whole?(answer: WholeAnswer): Promise<void>;
  /** As `StreamedAnswer.send`. */
  stream?(answer: StreamedAnswer, sink: Sink): Promise<boolean>;
  /** Content type of a stream; the default is server-sent events. */
  readonly contentType?: string;
}

/** Serves a text call in any style: parse, relay, and respond in the same style. */
export async function generate(
  exchange: Exchange,
  style: InboundStyle,
  deps: GenerationDeps,
  generation: Generation = DEFAULT_OPTIONS,
): Promise<Response> {
  const sent = await exchange.readJson(deps.limits.bodyBytes);
  const facts = check(sent.json, style, deps, generation);
  const isKept = contentLevelOf(exchange, deps) !== "off";
  if (isKept || exchange.request.headers.has("idempotency-key")) {
    return await answerOnce(exchange, style, sent, facts, deps, generation);
  }
  // As `answer`, within this function: each async function that a call passes costs it objects.
  const { prepare, outlet = DEFAULT_OPTIONS } = generation;
  const exact = withExactNumbers(sent);
  const body = prepare === undefined ? exact : await prepare(exact);
  const call = openCall(exchange, style, body, facts, deps);
  using _pause = exchange.suspendIdleTimeout();
  const answered = await relay(call, deps.relay);
  if (answered.kind === "stream") exchange.setStall(deps.limits.callerStallMs);
  else if (outlet.whole !== undefined) await outlet.whole(answered);
  const reply = replyWith(answered, style, outlet, deps);
  return toResponse(reply, exchange.id, exchange.takeAnnounced());
}

function answerOnce(
  exchange: Exchange,
  style: InboundStyle,
  sent: RequestBody,
  facts: RequestFacts,
  deps: GenerationDeps,
  generation: Generation,
): Promise<Response> {
  return withIdempotency(exchange, sent.text, deps, () =>
    answer(exchange, style, sent, facts, deps, generation),
  );
}

/** The same for a request that did not come by HTTP: returns the response without its head. */
export async function replyTo(
  exchange: Exchange,
  style: InboundStyle,
  sent: RequestBody,
  deps: Pick<TextDeps, "relay" | "limits" | "onStream" | "clock">,
  generation: Generation,
): Promise<Reply> {
  const facts = check(sent.json, style, deps, generation);
  return await answer(exchange, style, sent, facts, deps, generation);
}

function check(
  body: JsonObject,
  style: InboundStyle,
  deps: Pick<TextDeps, "limits">,
  { address = {} }: Generation,
): RequestFacts {
  checkLength(body, style, deps);
  return style.inbound.readRequest(body, address);
}

/** Checked before the style's own rules, because styles do not read settings. */
function checkLength(
  body: JsonObject,
  { conversationField: field }: InboundStyle,
  { limits }: Pick<TextDeps, "limits">,
): void {
  const items = body[field];
  const least = LEAST_ITEMS.get(field);
  if (!isArray(items) || least === undefined) return;
  if (items.length >= least && items.length <= limits.messages) return;
  throw invalid(
    field,
    `'${field}' must be a list of ${least} to ${limits.messages} items, but has ${items.length}.`,
  );
}

/**
 * Minimum number of items, by the member that holds the conversation. In Responses, earlier items
 * may be stored here.
 */
const LEAST_ITEMS: ReadonlyMap<string, number> = new Map([
  ["messages", 1],
  ["contents", 1],
  ["input", 0],
]);

async function answer(
  exchange: Exchange,
  style: InboundStyle,
  sent: RequestBody,
  facts: RequestFacts,
  deps: Pick<TextDeps, "relay" | "limits" | "onStream" | "clock">,
  { prepare, outlet = DEFAULT_OPTIONS }: Generation,
): Promise<Reply> {
  const exact = withExactNumbers(sent);
  const body = prepare === undefined ? exact : await prepare(exact);
  const call = openCall(exchange, style, body, facts, deps);
  // From here on, the upstream's deadlines apply: long reasoning must not count as an idle
  // connection.
  using _pause = exchange.suspendIdleTimeout();
  const answered = await relay(call, deps.relay);
  if (answered.kind === "stream") exchange.setStall(deps.limits.callerStallMs);
  else await outlet.whole?.(answered);
  return replyWith(answered, style, outlet, deps);
}

/** Arguments and schemas of tools may hold numbers with more digits than a double. */
export function withExactNumbers(body: RequestBody): RequestBody {
  if (!mayHoldExact(body.text)) return body;
  const json = parseExact(body.text);
  return isObject(json) ? { ...body, json } : body;
}

/** Creates the call for a request, whose body is as it will be served. */
export function openCall(
  exchange: Exchange,
  style: InboundStyle,
  body: RequestBody,
  facts: RequestFacts,
  { limits, clock }: Pick<TextDeps, "limits" | "clock">,
): TextCall {
  if (facts.messages > limits.messages) {
    const field = style.conversationField;
    throw invalid(field, `'${field}' has more than ${limits.messages} items.`);
  }
  return new TextCall(exchange, style, body, facts, clock);
}

function replyWith(
  answered: Answer,
  style: InboundStyle,
  outlet: Outlet,
  { onStream }: Pick<TextDeps, "onStream">,
): Reply {
  if (answered.kind === "stream") return streamReply(answered, style, outlet, onStream);
  const { lost, body } = answered;
  const headers = lost.length === 0 ? WHOLE_HEADERS : { ...WHOLE_HEADERS, ...lossyHeader(lost) };
  return { kind: "whole", headers, body };
}

/** Apart, since a function that makes a closure allocates for it on every call. */
function streamReply(
  answered: StreamedAnswer,
  style: InboundStyle,
  outlet: Outlet,
  onStream: TextDeps["onStream"],
): Reply {
  const { contentType = SERVER_SENT_EVENTS } = outlet;
  const watched =
    onStream !== undefined && answered.isTranslated ? watch(answered, style, onStream) : answered;
  return {
    kind: "stream",
    headers: {
      ...STREAM_HEADERS,
      "content-type": contentType,
      ...lossyHeader(answered.lost),
    },
    fill: (sink) => outlet.stream?.(watched, sink) ?? watched.send(sink),
  };
}

function watch(
  answer: StreamedAnswer,
  style: InboundStyle,
  onStream: (style: string, text: string) => void,
): StreamedAnswer {
  const { kind, lost, isTranslated } = answer;
  return {
    kind,
    lost,
    isTranslated,
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

/** No difference from the default. */
const DEFAULT_OPTIONS: Generation & Outlet = {};
const WHOLE_HEADERS = { "content-type": "application/json" };
