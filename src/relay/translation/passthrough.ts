import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import type {
  AnswerContext,
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
import { EventCheck } from "#lib/event-check.ts";
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
import { parseExactAnswer, type WholeReading } from "../delivery/whole.ts";

/** What goes out, and what the vendor would choke on of the caller's wishes. */
export interface PassedRequest extends Outgoing {
  /** Usage comes in the stream because the gateway asks for it, and not the caller. */
  readonly asksForUsage: boolean;
  readonly lost: readonly string[];
}

/** What this call's conversation and this model have to do with a request. */
export interface RequestTerms {
  /** Another account answered the conversation before. */
  readonly isAway?: boolean;
  /** Members that the vendor refused by their names. */
  readonly refused?: readonly string[];
}

/**
 * The caller's own bytes, with nothing changed but the model's name, what the
 * style must add to be metered, and what the vendor would choke on.
 */
export function passthroughRequest(
  { body, facts, header, isStrict }: Pick<Call, "body" | "facts" | "header" | "isStrict">,
  route: Pick<WireRoute, "endpoint" | "upstreamModel" | "traits" | "channel" | "provider">,
  passthrough: Passthrough,
  { isAway = false, refused = [] }: RequestTerms = {},
): PassedRequest {
  const { endpoint, upstreamModel, traits } = route;
  const report = new LossReport();
  let edits = passthrough.amend(body.json, facts, upstreamModel, traits, report);
  if (isAway) report.lose(REASONING_ACCOUNT);
  const current = withEdits(body.json, edits);
  edits = { ...edits, ...fitRequest(current, { endpoint, traits }, report, isAway) };
  if (endpoint.adaptRequest !== undefined) {
    const adapted = endpoint.adaptRequest(
      withEdits(body.json, edits),
      upstreamModel,
      report,
      requestContext(route, header),
    );
    edits = { ...edits, ...adapted };
  }
  if (refused.length > 0) {
    edits = { ...edits, ...editsWithout(withEdits(body.json, edits), refused, report) };
  }
  if (isStrict) report.refuseIfAny();
  return {
    lost: report.fields,
    asksForUsage: passthrough.asksForUsage?.(edits) === true && !facts.wantsUsage,
    body: Object.keys(edits).length === 0 ? body.text : setMembers(body.text, body.outline, edits),
    headers:
      endpoint.headers?.(withEdits(body.json, edits), header, requestContext(route, header)) ??
      NO_HEADERS,
    path: endpoint.pathFor?.(withEdits(body.json, edits)),
  };
}

/** Another account made the conversation's reasoning, and may be the only one to understand it. */
export const REASONING_ACCOUNT = "reasoning.account";

/** What providers know of a request beside its body. */
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

/** The body as it stands after the edits; the body itself if there are none. */
function withEdits(body: JsonObject, edits: BodyEdits): JsonObject {
  for (const _ in edits) return { ...body, ...edits };
  return body;
}

/** What was only needed to ask is let go of. */
export function forgetQuestion({ body }: Call): void {
  body.text = "";
  body.outline = NO_OUTLINE;
}

const NO_HEADERS = {};
const NO_OUTLINE: JsonOutline = { members: new Map(), repeated: new Set(), depth: 0, parts: 0 };

/** A whole answer, passed on as it is; only its usage is read. */
export async function passWhole(
  reply: UpstreamReply,
  passthrough: Passthrough,
  call: Call,
  { lost }: PassedRequest,
): Promise<WholeReading> {
  const bytes = await reply.readAll();
  const json = parseExactAnswer(bytes);
  const facts = passthrough.readAnswer(json);
  if (facts.error !== undefined) throw asGatewayError(facts.error);
  const repairs = passthrough.repairAnswer?.(json, call.facts, contextOf(call));
  const body = repairs === undefined ? bytes : edited(bytes, repairs);
  return { body, usage: facts.usage, takeOutputText: () => facts.outputText(), lost };
}

function contextOf({ body, now }: Call): AnswerContext {
  return { request: body.json, now };
}

/** Everything but the repaired members stays as it was written. */
function edited(bytes: Uint8Array, repairs: JsonObject): string {
  const text = new TextDecoder().decode(bytes);
  return setMembers(text, outlineJson(text, MAX_DEPTH), repairs);
}

const MAX_DEPTH = 64;

/** A stream, passed on event by event as it came, watched by its style's tap. */
export async function passStream(
  reply: UpstreamReply,
  call: Call,
  { style, dialect }: TextEndpoint,
  passthrough: Passthrough,
  maxEventBytes: number,
  { lost, asksForUsage }: PassedRequest,
): Promise<AnswerStream> {
  await refuseNonStream(reply, style);
  // What a vendor sends unasked is the caller's.
  const facts = { ...call.facts, wantsUsage: !asksForUsage };
  const tap = passthrough.openTap(facts, dialect, contextOf(call));
  return new PassedStream(reply, tap, maxEventBytes, lost);
}

/** What may wait for the first content of an answer: comments, and the head. */
const MAX_HELD_BYTES = 64 * 1024;

/**
 * Events on their way through, as they came. Comments and the head of an
 * answer wait for its first content: until then another channel may answer.
 */
export class PassedStream implements AnswerStream {
  readonly #reply: UpstreamReply;
  readonly #tap: Tap;
  readonly #framer: SseFramer;
  readonly #check = new EventCheck();
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #hasBegun = false;
  #isOver = false;
  readonly lost: readonly string[];
  readonly isTranslated = false;

  constructor(reply: UpstreamReply, tap: Tap, maxEventBytes: number, lost: readonly string[] = []) {
    this.lost = lost;
    this.#reply = reply;
    this.#tap = tap;
    this.#framer = new SseFramer(maxEventBytes);
  }

  async run(take: Sink["write"]): Promise<void> {
    await this.#reply.pump((chunk) => {
      const events = this.#frame(chunk);
      return events === undefined ? undefined : this.#pass(events, take);
    });
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

  /** A head that still waits goes first: some clients read a failure as a part of what it begins. */
  fail(error: GatewayError): string {
    const held = Buffer.concat(this.#held).toString();
    this.#held = [];
    return held + this.#tap.fail(error);
  }

  close(): void {
    this.#reply.close();
  }

  #pass(events: Uint8Array, take: Sink["write"]): void | Promise<void> {
    if (!this.#hasBegun && isPage(events)) throw notStreamed();
    const broken = this.#check.firstBroken(viewOf(events));
    const out = broken === 0 ? undefined : this.#tap.push(soundPart(events, broken));
    const error = this.#tap.error ?? (broken < 0 ? undefined : UNREADABLE);
    if (error === undefined) {
      if (out === undefined) return undefined;
      return this.#hasBegun ? take(out) : this.#hold(out, take);
    }
    // What came before a failure is the caller's, unless nothing has left yet: then another channel may do better.
    if (out !== undefined && this.#hasBegun) void take(out);
    throw asGatewayError(error);
  }

  #hold(out: Uint8Array, take: Sink["write"]): void | Promise<void> {
    this.#held.push(out);
    this.#heldBytes += out.length;
    const mayBegin = this.#tap.hasContent || this.isEnding || this.#heldBytes > MAX_HELD_BYTES;
    return mayBegin ? this.#begin(take) : undefined;
  }

  #begin(take: Sink["write"]): void | Promise<void> {
    const [first, ...more] = this.#held;
    this.#held = [];
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

  /** A last event may lack its blank line; an answer without its end is a failure, never an end. */
  async #end(take: Sink["write"]): Promise<void> {
    const { rest } = this.#framer;
    if (rest.length > 0) await this.#pass(Buffer.concat([rest, BLANK_LINE]), take);
    if (!this.#tap.isComplete()) {
      throw new GatewayError("upstream_failed", "The upstream's answer broke off before its end.");
    }
    this.#isOver = true;
    const missing = this.#tap.end();
    if (missing !== undefined) this.#held.push(missing);
    await this.#begin(take);
  }
}

function soundPart(events: Uint8Array, broken: number): Uint8Array {
  return broken < 0 ? events : events.subarray(0, broken);
}

const UNREADABLE: UpstreamError = {
  code: "upstream_failed",
  message: "The upstream sent an event that cannot be read.",
};

const BLANK_LINE = Buffer.from("\n\n");

/** What is no upstream answers with a page. By its type one cannot tell: some stream events under that of a page. */
function isPage(events: Uint8Array): boolean {
  const first = events.find((byte) => !SPACES.includes(byte));
  return first === OPENING;
}

const OPENING = "<".charCodeAt(0);
const SPACES = Buffer.from(" \t\r\n\uFEFF");

/** Some upstreams answer a stream request with a JSON body, most often to say what failed. */
export async function refuseNonStream(reply: UpstreamReply, style: OutboundStyle): Promise<void> {
  const type = reply.headers.get("content-type") ?? "";
  if (!type.includes("json")) return;
  const body = new TextDecoder().decode(await reply.readAll());
  const json = parseJson(body);
  const error = isObject(json) ? style.outbound.errorIn(json) : undefined;
  throw error === undefined ? notStreamed() : asGatewayError(error);
}

function notStreamed(): GatewayError {
  return new GatewayError("upstream_failed", "The upstream did not stream its answer.");
}
