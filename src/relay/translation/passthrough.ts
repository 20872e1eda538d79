import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import { bodyOverrides } from "#core/overrides.ts";
import type {
  AnswerContext,
  AnswerFacts,
  BodyEdits,
  OutboundStyle,
  Passthrough,
  Tap,
  UpstreamError,
} from "#core/style.ts";
import type { Usage } from "#core/usage.ts";
import type { UpstreamReply } from "#egress/egress.ts";
import {
  isObject,
  outlineJson,
  parseJson,
  setMembers,
  type JsonObject,
  type JsonOutline,
} from "#lib/json.ts";
import type { Sink } from "#lib/push-stream.ts";
import { firstBrokenEvent } from "#lib/event-check.ts";
import { SseFramer } from "#lib/sse.ts";
import { viewOf } from "#lib/sse-bytes.ts";
import type { ReadHeader, RequestContext, TextEndpoint } from "#providers/provider.ts";
import { asGatewayError } from "#styles/upstream-error.ts";
import { explained, type AnswerStream } from "../delivery/answer-stream.ts";
import type { Outgoing } from "../failover/attempt.ts";
import { isAtDefaultAddress } from "../failover/upstream-terms.ts";
import type { Call } from "../call.ts";
import { fitRequest } from "./fit-request.ts";
import { editsWithout } from "../failover/learned-refusals.ts";
import type { WireRoute } from "../routing/route.ts";
import { isWebPage, sentWebPage } from "../delivery/web-page.ts";
import { parseExactAnswer, type WholeReading } from "../delivery/whole.ts";

/**
 * The outgoing request, and the client's members that were removed because the vendor refuses them.
 */
export interface PassedRequest extends Outgoing {
  /** The gateway, not the client, requested usage in the stream. */
  readonly asksForUsage: boolean;
  readonly lost: readonly string[];
}

/** Facts of the conversation and model that affect a request. */
export interface RequestTerms {
  /** Another account served the conversation before. */
  readonly isAway?: boolean;
  /** Members that the vendor refused by name. */
  readonly refused?: readonly string[];
}

/**
 * The client's own bytes. Changed are only the model's name, members for metering, and members that
 * the vendor refuses.
 */
export function passthroughRequest(
  call: Pick<Call, "body" | "facts" | "header" | "isStrict">,
  route: Pick<WireRoute, "endpoint" | "upstreamModel" | "traits" | "channel" | "provider">,
  passthrough: Passthrough,
  { isAway = false, refused = NO_MEMBERS }: RequestTerms = NO_TERMS,
): PassedRequest {
  const { body, facts } = call;
  const { endpoint, upstreamModel, traits } = route;
  const report = new LossReport();
  let edits = passthrough.amend(body.json, facts, upstreamModel, traits, report);
  if (isAway) report.lose(REASONING_ACCOUNT);
  const { systemPrompt } = route.channel;
  if (systemPrompt !== undefined) {
    const current = withEdits(body.json, edits);
    edits = merged(edits, endpoint.style.outbound.withSystemPrompt(current, systemPrompt));
  }
  // The prompt may have been another one, or none, when the conversation's reasoning was signed.
  const dropsMisplaced = isAway || systemPrompt !== undefined;
  edits = merged(edits, fitRequest(withEdits(body.json, edits), route, report, dropsMisplaced));
  const { adaptRequest, headers, pathFor } = endpoint;
  if (adaptRequest !== undefined) {
    const context = requestContext(route, call.header);
    const current = withEdits(body.json, edits);
    edits = merged(edits, adaptRequest(current, upstreamModel, report, context));
  }
  if (refused.length > 0) {
    edits = merged(edits, editsWithout(withEdits(body.json, edits), refused, report));
  }
  const overrides = route.channel.overrides?.body;
  if (overrides !== undefined) {
    edits = merged(edits, bodyOverrides(withEdits(body.json, edits), overrides, report));
  }
  if (call.isStrict) report.refuseIfAny();
  const current = withEdits(body.json, edits);
  return {
    lost: report.fields,
    asksForUsage: passthrough.asksForUsage?.(edits) === true && !facts.wantsUsage,
    body: isEmpty(edits) ? body.text : setMembers(body.text, body.outline, edits),
    headers: headers?.(current, call.header, requestContext(route, call.header)) ?? NO_HEADERS,
    path: pathFor?.(current),
  };
}

const NO_TERMS: RequestTerms = {};
const NO_MEMBERS: readonly string[] = [];

/**
 * Another account created the conversation's reasoning, and may be the only one that can decrypt
 * it.
 */
export const REASONING_ACCOUNT = "reasoning.account";

/** The request facts for providers, besides the body. */
export function requestContext(
  route: Pick<WireRoute, "channel" | "provider">,
  ofCaller: ReadHeader,
): RequestContext {
  return {
    options: route.channel.options ?? NO_OPTIONS,
    isVendors: isAtDefaultAddress(route),
    ofCaller,
  };
}

const NO_OPTIONS = {};

/** The body after the edits; the same object if there are none. */
function withEdits(body: JsonObject, edits: BodyEdits): JsonObject {
  return isEmpty(edits) ? body : { ...body, ...edits };
}

function merged(edits: BodyEdits, more: BodyEdits): BodyEdits {
  return isEmpty(more) ? edits : { ...edits, ...more };
}

function isEmpty(edits: BodyEdits): boolean {
  for (const _ in edits) return false;
  return true;
}

/** Releases the request's data that only the upstream request needed. */
export function forgetQuestion({ body }: Call): void {
  body.text = "";
  body.outline = NO_OUTLINE;
}

const NO_HEADERS = {};
const NO_OUTLINE: JsonOutline = { members: new Map(), repeated: new Set(), depth: 0, parts: 0 };

/** Passes a complete response through; only its usage is read. */
export function passWhole(
  bytes: Uint8Array,
  passthrough: Passthrough,
  call: Call,
  lost: readonly string[],
): WholeReading {
  const json = parseExactAnswer(bytes);
  const facts = passthrough.readAnswer(json);
  if (facts.error !== undefined) throw asGatewayError(facts.error);
  const repairs = passthrough.repairAnswer?.(json, call.facts, new AskedCall(call));
  const body = repairs === undefined ? bytes : edited(bytes, repairs);
  return new PassedAnswer(body, facts, lost);
}

class PassedAnswer implements WholeReading {
  readonly body: Uint8Array | string;
  readonly usage: Usage | undefined;
  readonly lost: readonly string[];
  readonly #facts: AnswerFacts;

  constructor(body: Uint8Array | string, facts: AnswerFacts, lost: readonly string[]) {
    this.body = body;
    this.usage = facts.usage;
    this.lost = lost;
    this.#facts = facts;
  }

  takeOutputText(): string {
    return this.#facts.outputText();
  }
}

/** The call as a repair of its answer asks for it. */
class AskedCall implements AnswerContext {
  readonly #call: Call;
  readonly request: JsonObject;

  constructor(call: Call) {
    this.#call = call;
    this.request = call.body.json;
  }

  now(): number {
    return this.#call.now();
  }
}

/** Everything except the repaired members stays unchanged. */
function edited(bytes: Uint8Array, repairs: JsonObject): string {
  const text = new TextDecoder().decode(bytes);
  return setMembers(text, outlineJson(text, MAX_DEPTH), repairs);
}

const MAX_DEPTH = 64;

/** Passes a stream through event by event, while its style's tap reads usage. */
export async function passStream(
  reply: UpstreamReply,
  call: Call,
  { style, dialect }: TextEndpoint,
  passthrough: Passthrough,
  maxEventBytes: number,
  { lost, asksForUsage }: PassedRequest,
): Promise<AnswerStream> {
  await refuseNonStream(reply, style);
  // Usage that the vendor sends without a request is forwarded to the client.
  const wantsUsage = !asksForUsage;
  const facts = call.facts.wantsUsage === wantsUsage ? call.facts : { ...call.facts, wantsUsage };
  const tap = passthrough.openTap(facts, dialect, new AskedCall(call));
  return new PassedStream(reply, tap, maxEventBytes, lost);
}

/** Maximum size of comments and head that wait for the first content. */
const MAX_HELD_BYTES = 64 * 1024;

/**
 * Passes events through unchanged. Comments and the head wait for the first content: until then
 * another channel may take over.
 */
export class PassedStream implements AnswerStream {
  readonly #reply: UpstreamReply;
  readonly #tap: Tap;
  readonly #framer: SseFramer;
  /** What waits for the first content. */
  #held: Uint8Array[] | undefined;
  #heldBytes = 0;
  #hasBegun = false;
  #isOver = false;
  readonly lost: readonly string[];
  readonly isTranslated = false;

  constructor(reply: UpstreamReply, tap: Tap, maxEventBytes: number, lost: readonly string[] = []) {
    this.lost = lost.length === 0 ? NOTHING_LOST : lost;
    this.#reply = reply;
    this.#tap = tap;
    this.#framer = new SseFramer(maxEventBytes);
  }

  async run(take: Sink["write"]): Promise<void> {
    await this.#reply.pump((chunk) => {
      const events = this.#frame(chunk);
      if (events === undefined) return undefined;
      const taken = this.#pass(events, take);
      const more = this.#framer.takeMore();
      if (more === undefined) return taken;
      return taken === undefined
        ? this.#pass(more, take)
        : taken.then(() => this.#pass(more, take));
    }, true);
    await this.#end(take);
  }

  get isEnding(): boolean {
    return this.#tap.isEnding || this.#isOver;
  }

  get hasContent(): boolean {
    return this.#hasBegun;
  }

  get waitingBytes(): number {
    return this.#reply.waitingBytes ?? 0;
  }

  get usage(): Usage | undefined {
    return this.#tap.usage;
  }

  get inputUsage(): Usage | undefined {
    return this.#tap.inputUsage;
  }

  takeOutputText(): string {
    return this.#tap.takeOutputText();
  }

  /**
   * Send a waiting head first: some clients parse an error as part of the response that it starts.
   */
  fail(error: GatewayError): string {
    const held = Buffer.concat(this.#held ?? []).toString();
    this.#held = undefined;
    return held + this.#tap.fail(error);
  }

  close(): void {
    this.#reply.close();
  }

  #pass(events: Uint8Array, take: Sink["write"]): void | Promise<void> {
    if (this.#hasBegun && this.#tap.passRepeated?.(events) === true) return take(events);
    if (!this.#hasBegun && isWebPage(events)) throw sentWebPage();
    const broken = firstBrokenEvent(viewOf(events));
    const out = broken === 0 ? undefined : this.#tap.push(soundPart(events, broken));
    const error = this.#tap.error ?? (broken < 0 ? undefined : UNREADABLE);
    if (error === undefined) {
      if (out === undefined) return undefined;
      return this.#hasBegun ? take(out) : this.#hold(out, take);
    }
    // Send the events before a failure, unless nothing was sent yet: then another channel may take
    // over.
    if (out !== undefined && this.#hasBegun) void take(out);
    throw asGatewayError(error);
  }

  #hold(out: Uint8Array, take: Sink["write"]): void | Promise<void> {
    // A copy: the bytes are lent.
    (this.#held ??= []).push(Buffer.from(out));
    this.#heldBytes += out.length;
    const mayBegin = this.#tap.hasContent || this.isEnding || this.#heldBytes > MAX_HELD_BYTES;
    return mayBegin ? this.#begin(take) : undefined;
  }

  #begin(take: Sink["write"]): void | Promise<void> {
    const [first, ...more] = this.#held ?? [];
    this.#held = undefined;
    this.#hasBegun = true;
    if (first === undefined) return undefined;
    return take(more.length === 0 ? first : Buffer.concat([first, ...more]));
  }

  #frame(chunk: Uint8Array): Uint8Array | undefined {
    try {
      return this.#framer.push(chunk);
    } catch (cause) {
      throw explained(cause);
    }
  }

  /** A last event may lack its blank line; a stream without its final event is a failure. */
  async #end(take: Sink["write"]): Promise<void> {
    const { rest } = this.#framer;
    if (rest.length > 0) await this.#pass(Buffer.concat([rest, BLANK_LINE]), take);
    if (!this.#tap.isComplete()) {
      throw new GatewayError(
        "upstream_failed",
        "The upstream's response ended before it was complete.",
      );
    }
    this.#isOver = true;
    const missing = this.#tap.end();
    if (missing !== undefined) (this.#held ??= []).push(missing);
    await this.#begin(take);
  }
}

/** Shared by all streams, of which thousands run at once. */
const NOTHING_LOST: readonly string[] = [];

function soundPart(events: Uint8Array, broken: number): Uint8Array {
  return broken < 0 ? events : events.subarray(0, broken);
}

const UNREADABLE: UpstreamError = {
  code: "upstream_failed",
  message: "The upstream sent an invalid event.",
};

const BLANK_LINE = Buffer.from("\n\n");

/** Some upstreams respond to a stream request with a JSON body, usually an error. */
export async function refuseNonStream(reply: UpstreamReply, style: OutboundStyle): Promise<void> {
  const type = reply.headers.get("content-type") ?? "";
  if (!type.includes("json")) return;
  const body = new TextDecoder().decode(await reply.readAll());
  const json = parseJson(body);
  const error = isObject(json) ? style.outbound.errorIn(json) : undefined;
  throw error === undefined ? notStreamed() : asGatewayError(error);
}

function notStreamed(): GatewayError {
  return new GatewayError("upstream_failed", "The upstream did not stream its response.");
}
