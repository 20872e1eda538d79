import { GatewayError } from "#core/error.ts";
import { givesImages } from "#core/model.ts";
import type { ReasoningHome, ReasoningHomes } from "#core/reasoning-home.ts";
import type { Passthrough } from "#core/style.ts";
import { admit } from "./admit.ts";
import { openAdapted, readAdapted } from "./translation/adapted.ts";
import { isHeldByTool, withFormatTool } from "./translation/answer-form.ts";
import type { AnswerStream } from "./delivery/answer-stream.ts";
import { inCallersWords } from "./translation/callers-field.ts";
import {
  callWithFailover,
  type Begin,
  type Begun,
  type Outgoing,
  type UpstreamTransport,
  type WholeReader,
} from "./failover/attempt.ts";
import type { Answer, Call } from "./call.ts";
import type { CallDeps } from "./call-deps.ts";
import { Delivery, type DeliverySettings } from "./delivery/deliver.ts";
import {
  forgetQuestion,
  passStream,
  passthroughRequest,
  passWhole,
  type PassedRequest,
  refuseNonStream,
} from "./translation/passthrough.ts";
import type { UpstreamReply } from "#egress/egress.ts";
import type { LearnedRefusals } from "./failover/learned-refusals.ts";
import { Continuation, type Books, type ContinuationDeps } from "./translation/continuation.ts";
import { withCallFormat } from "./translation/forced-call.ts";
import { endable, isEndable, type Endable } from "./metering/open-calls.ts";
import { streamToClient } from "./delivery/stream-to-client.ts";
import { findHome, isAway, type Homing } from "./routing/reasoning-home.ts";
import type { Candidate, Route, WireRoute } from "./routing/route.ts";
import type { Settlement } from "./metering/settlement.ts";
import { losesStops } from "./translation/stop-sequences.ts";
import {
  gatherStream,
  translateRequest,
  translateStream,
  translateWhole,
  type Translation,
  type TranslationDeps,
} from "./translation/translate.ts";
import type { WholeReading } from "./delivery/whole.ts";

export interface RelayDeps extends CallDeps, TranslationDeps, ContinuationDeps {
  readonly delivery: DeliverySettings;
  /** Records which account served a conversation; nothing is recorded if undefined. */
  readonly homes?: ReasoningHomes;
  readonly learned: LearnedRefusals;
  /** Sees each admitted request; absent without telemetry. */
  readonly noteRequest?: ((call: Call) => void) | undefined;
  /** Sees each complete answer before its call is settled; absent without telemetry. */
  readonly noteAnswer?: ((callId: string, body: WholeReading["body"]) => void) | undefined;
}

/**
 * One call, from admission to settlement. A complete response is sent after its settlement is on
 * disk, so that a crash cannot lose the charge.
 */
export async function relay(asked: Call, deps: RelayDeps): Promise<Answer> {
  const call = isEndable(asked) ? asked : endable(asked);
  const admitting = admit(call, deps.router, deps.admission);
  const { plan, settlement } = admitting instanceof Promise ? await admitting : admitting;
  try {
    deps.noteRequest?.(call);
    const finding = findHome(call, plan, deps.homes);
    const homing = finding instanceof Promise ? await finding : finding;
    if (call.facts.stream) return await relayStream(call, homing, settlement, deps);
    const begin = beginWhole(call, deps, homing.home, settlement);
    const begun = await callWithFailover(call, homing.plan, settlement, deps.attempts, begin);
    homing.keep(begun);
    begun.release();
    settlement.beginMetering(begun.route, begun.answer, begun.answer);
    deps.noteAnswer?.(call.id, begun.answer.body);
    await settlement.complete();
    return { kind: "whole", body: begun.answer.body, lost: begun.answer.lost };
  } catch (cause) {
    const error = inCallersWords(GatewayError.from(cause), call.style, call.body.json);
    await settlement.fail(error);
    throw error;
  }
}

async function relayStream(
  call: Endable<Call>,
  homing: Homing,
  settlement: Settlement,
  deps: RelayDeps,
): Promise<Answer> {
  const begin = beginStream(call, deps, homing.home, settlement);
  const begun = await callWithFailover(call, homing.plan, settlement, deps.attempts, begin);
  const onBegun = (last: Begun<unknown, Candidate>): void => {
    homing.keep(last);
    // No other channel will be tried, so the request body can be released.
    forgetQuestion(call);
  };
  return await streamToClient(call, begun.answer, begun, settlement, { begun, onBegun });
}

export type WholeDeps = TranslationDeps &
  ContinuationDeps &
  Pick<RelayDeps, "learned"> & { readonly delivery: Pick<DeliverySettings, "maxEventBytes"> };

export function beginWhole(
  call: Call,
  deps: WholeDeps,
  home?: ReasoningHome,
  /** Undefined if a response never gets a further request. */
  books?: Books,
): Begin<WholeReading> {
  return (route, transport) => {
    if (route.endpoint === undefined)
      return readAdapted(call, route, transport.openSession(), deps.reasoningCache);
    const away = isAway(home, route, transport);
    const passthrough = passthroughFor(call, route);
    return passthrough === undefined
      ? translatedWhole(call, route, transport, away, deps, books)
      : new PassedWhole(call, route, transport, away, passthrough, deps.learned).ask();
  };
}

/** A complete response of the client's own style, and the request for it. */
class PassedWhole implements WholeReader<WholeReading> {
  readonly #call: Call;
  readonly #route: WireRoute;
  readonly #transport: UpstreamTransport;
  readonly #isAway: boolean;
  readonly #passthrough: Passthrough;
  readonly #learned: LearnedRefusals;
  #request: PassedRequest | undefined;
  #refusals = 0;

  constructor(
    call: Call,
    route: WireRoute,
    transport: UpstreamTransport,
    isAway: boolean,
    passthrough: Passthrough,
    learned: LearnedRefusals,
  ) {
    this.#call = call;
    this.#route = route;
    this.#transport = transport;
    this.#isAway = isAway;
    this.#passthrough = passthrough;
    this.#learned = learned;
  }

  ask(): Promise<WholeReading> {
    const refused = this.#learned.on(this.#route);
    const terms = { isAway: this.#isAway, refused };
    const request = passthroughRequest(this.#call, this.#route, this.#passthrough, terms);
    this.#request = request;
    return this.#transport.ask(this.#route, request, this);
  }

  read(body: Uint8Array): WholeReading {
    return passWhole(body, this.#passthrough, this.#call, this.#request?.lost ?? []);
  }

  async refused(cause: unknown): Promise<WholeReading> {
    const request = this.#request;
    if (request === undefined) throw cause;
    if (!learns(cause, this.#refusals, this.#route, request, this.#learned)) throw cause;
    this.#refusals++;
    return await this.ask();
  }
}

async function translatedWhole(
  call: Call,
  route: WireRoute,
  transport: UpstreamTransport,
  isAwayFromHome: boolean,
  deps: WholeDeps,
  books: Books | undefined,
): Promise<WholeReading> {
  const { reasoningCache, learned } = deps;
  const isStreamed = isGathered(call.facts, route.endpoint, route.upstreamModel);
  const write = (refused: readonly string[]): Promise<Translation> =>
    translateRequest(call, route, deps, { isStreamed, isAway: isAwayFromHome, refused });
  const { request: translation, reply: sent } = await sendFitted(transport, route, write, learned);
  using reply = sent;
  if (!isStreamed) {
    const more = books && Continuation.of(call, route, transport, translation, books, deps);
    return await translateWhole(reply, call, route, translation, reasoningCache, more);
  }
  await refuseNonStream(reply, route.endpoint.style);
  const { maxEventBytes } = deps.delivery;
  return await gatherStream(reply, call, route, translation, maxEventBytes, reasoningCache);
}

function beginStream(
  call: Call,
  deps: RelayDeps,
  home: ReasoningHome | undefined,
  books: Books,
): Begin<Delivery> {
  return async (route, transport) =>
    Delivery.begin(
      await openStream(call, route, transport, deps, home, books),
      deps.delivery,
      call.style.keepAlive,
      deps.delivery.watchPieces?.(call.id),
    );
}

async function openStream(
  call: Call,
  route: Route,
  transport: UpstreamTransport,
  deps: RelayDeps,
  home: ReasoningHome | undefined,
  books: Books,
): Promise<AnswerStream> {
  const { reasoningCache, delivery } = deps;
  if (route.endpoint === undefined)
    return openAdapted(call, route, transport.openSession(), reasoningCache);
  const { style } = route.endpoint;
  const maxEventBytes = mostOfAnEvent(route, delivery);
  const away = isAway(home, route, transport);
  const passthrough = passthroughFor(call, route);
  if (passthrough !== undefined) {
    const write = (refused: readonly string[]): PassedRequest =>
      passthroughRequest(call, route, passthrough, { isAway: away, refused });
    const { request, reply } = await sendFitted(transport, route, write, deps.learned);
    return await passStream(reply, call, route.endpoint, passthrough, maxEventBytes, request);
  }
  const write = (refused: readonly string[]): Promise<Translation> =>
    translateRequest(call, route, deps, { isAway: away, refused });
  const { request: translation, reply } = await sendFitted(transport, route, write, deps.learned);
  await refuseNonStream(reply, style);
  const more = Continuation.of(call, route, transport, translation, books, deps);
  return translateStream(reply, call, route, translation, maxEventBytes, reasoningCache, more);
}

/** Maximum number of refused members that one call may learn. */
const MAX_LEARNED = 3;

/**
 * Sends a request. If the vendor refuses a member by name before any output, sends it again without
 * that member.
 */
async function sendFitted<R extends Outgoing>(
  transport: UpstreamTransport,
  route: WireRoute,
  write: (refused: readonly string[]) => R | Promise<R>,
  learned: LearnedRefusals,
): Promise<{ readonly request: R; readonly reply: UpstreamReply }> {
  for (let count = 0; ; count++) {
    const written = write(learned.on(route));
    const request = written instanceof Promise ? await written : written;
    try {
      return { request, reply: await transport.post(route, request) };
    } catch (cause) {
      if (!learns(cause, count, route, request, learned)) throw cause;
    }
  }
}

/** Whether the failure names a member that was not known to be refused. It is left out from now on. */
function learns(
  cause: unknown,
  count: number,
  route: WireRoute,
  { headers, body }: Outgoing,
  learned: LearnedRefusals,
): boolean {
  return (
    count < MAX_LEARNED &&
    cause instanceof GatewayError &&
    route.endpoint.refusesForAll?.(headers) !== false &&
    learned.learn(route, cause, body)
  );
}

function mostOfAnEvent(
  { traits }: Route,
  { maxEventBytes, maxPictureEventBytes }: DeliverySettings,
): number {
  return givesImages(traits) ? maxPictureEventBytes : maxEventBytes;
}

/** For an upstream that only streams, the response is collected from its stream. */
function isGathered(
  { stream }: Call["facts"],
  { streamsOnly }: WireRoute["endpoint"],
  model: string,
): boolean {
  return !stream && streamsOnly?.(model) === true;
}

/**
 * The upstream puts the answer into a tool's arguments, and the gateway converts it. The request is
 * parsed for that only if its schema allows it.
 */
function isFormedByTool(
  { style, facts, body }: Pick<Call, "style" | "facts" | "body">,
  route: WireRoute,
  passthrough: Passthrough | undefined,
): boolean {
  const schema = passthrough?.schemaIn?.(body.json);
  if (schema === undefined || !isHeldByTool(schema, route)) return false;
  return withFormatTool(style.inbound.parseRequest(body.json, facts), route) !== undefined;
}

/** The answer is in a tool's schema, and becomes a call of it: only if the caller forces one. */
function isCallByFormat(
  { style, facts, body }: Pick<Call, "style" | "facts" | "body">,
  route: WireRoute,
  passthrough: Passthrough | undefined,
): boolean {
  if (route.traits.rules?.forcedTools !== false || facts.unknownValue !== undefined) return false;
  if (passthrough?.forcesTool?.(body.json) !== true) return false;
  return withCallFormat(style.inbound.parseRequest(body.json, facts), route) !== undefined;
}

/**
 * The same style on both sides, a vendor that follows it, and no change by the gateway: no
 * translation is needed.
 */
export function passthroughFor(
  call: Pick<Call, "style" | "facts" | "body" | "header">,
  route: WireRoute,
): Passthrough | undefined {
  const { style, facts, body } = call;
  const { endpoint, steering, traits, upstreamModel } = route;
  const isAlike = endpoint.style.id === style.id && endpoint.isFaithful;
  const isPlain = facts.mustTranslate !== true && steering === undefined;
  if (!isAlike || !isPlain || isGathered(facts, endpoint, upstreamModel)) return undefined;
  const { passthrough } = endpoint.style;
  const { dialect } = endpoint;
  if (passthrough?.mustTranslate?.(body.json, traits, facts, dialect) === true) return undefined;
  if (isFormedByTool(call, route, passthrough) || isCallByFormat(call, route, passthrough)) {
    return undefined;
  }
  return losesStops(call, route) ? undefined : passthrough;
}
