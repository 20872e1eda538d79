import { setTimeout } from "node:timers/promises";
import { GatewayError } from "#core/error.ts";
import type { Family } from "#core/family.ts";
import type { ModelKind } from "#core/model.ts";
import { LossReport } from "#core/lossy.ts";
import type { MediaFetcher } from "#core/media.ts";
import type { Part, OperationRequest, OperationKind, OperationResult } from "#core/operation.ts";
import type { UpstreamReply } from "#egress/egress.ts";
import { abortReason } from "#egress/abort-reason.ts";
import { Form } from "#lib/form.ts";
import type { JsonObject } from "#lib/json.ts";
import { writeJson } from "#lib/long-base64.ts";
import { mapAtMost } from "#lib/map-at-most.ts";
import type { Body } from "#lib/pieces.ts";
import type { Clock } from "#lib/clock.ts";
import type { OperationEndpoint, Provider } from "#providers/provider.ts";
import { admit } from "./admit.ts";
import {
  baseOf,
  callWithFailover,
  type Outgoing,
  type UpstreamTransport,
} from "./failover/attempt.ts";
import type { Served } from "./call.ts";
import type { CallDeps } from "./call-deps.ts";
import type { DeliverySettings } from "./delivery/deliver.ts";
import { endable, type Endable } from "./metering/open-calls.ts";
import type { Candidate, Plan } from "./routing/route.ts";
import { parseLargeAnswer, parsePlacedAnswer } from "./delivery/whole.ts";

/** An operation, and the endpoints that perform it. */
export interface Operation<
  Q extends OperationRequest,
  A extends OperationResult,
  E extends OperationEndpoint<Q, A> = OperationEndpoint<Q, A>,
> extends OperationKind<Q, A> {
  readonly family: Family;
  endpointsOf(provider: Provider): readonly E[];
  /** Downloads and converts inputs that the endpoint needs in another form. */
  prepare?(question: Q, endpoint: E, tools: Tools): Promise<Q>;
  /** The same for the result and its client. */
  finish?(answer: A, question: Q, tools: Tools): Promise<A>;
}

/** The dependencies of `prepare` and `finish`. */
export interface Tools {
  readonly media: MediaFetcher;
  /** Maximum pixels of an input image. */
  readonly maxPixels: number;
  readonly signal: AbortSignal;
  /** The upstream's address of this attempt. */
  readonly upstream: URL;
  /** Unix ms of the call's admission. */
  readonly at: number;
  /** Records lost parts of the request. */
  readonly report: LossReport;
}

export interface OperateDeps extends CallDeps {
  readonly clock: Clock;
  readonly delivery: DeliverySettings;
  readonly media: MediaFetcher;
  readonly maxPixels: number;
  /** Maximum wait for an asynchronous result. */
  readonly pendingMs: number;
}

/** A running operation. */
export interface OperationCall<Q extends OperationRequest> extends Served {
  readonly question: Q;
  /** The client prefers a refusal to a lost field. */
  readonly isStrict: boolean;
}

interface ReportedResult<A extends OperationResult> {
  readonly answer: A & Required<OperationResult>;
  readonly lost: readonly string[];
}

interface PendingResult<A> {
  readonly answer: A;
  readonly lost: readonly string[];
}

/**
 * One operation, from admission to settlement. The response is sent after its settlement is on
 * disk.
 */
export async function operate<
  Q extends OperationRequest,
  A extends OperationResult,
  E extends OperationEndpoint<Q, A>,
>(
  asked: OperationCall<Q>,
  operation: Operation<Q, A, E>,
  deps: OperateDeps,
): Promise<ReportedResult<A>> {
  const call = endable(asked);
  const planner = { plan: () => planFor(call, operation, deps) };
  const { plan, settlement } = await admit(call, planner, deps.admission);
  try {
    const begun = await callWithFailover(
      call,
      plan,
      settlement,
      deps.attempts,
      (route, transport) => ask(call, route, operation, transport, deps),
    );
    begun.release();
    const { answer, lost } = begun.answer;
    const usage = answer.usage ?? (await call.count("", begun.route.traits, 0));
    settlement.beginMetering(begun.route, { usage, takeOutputText: () => "" }, { lost });
    await settlement.complete();
    return { answer: { ...answer, usage }, lost };
  } catch (cause) {
    const error = GatewayError.from(cause);
    await settlement.fail(error);
    throw error;
  }
}

export interface OperationRoute<E> extends Candidate {
  readonly endpoint: E;
}

/** Families that only one kind of model serves. */
const KINDS: Readonly<Partial<Record<Family, ModelKind>>> = {
  embeddings: "embedding",
  rerank: "rerank",
};

/** Throws if no channel of the model serves this operation. */
export function planFor<
  Q extends OperationRequest,
  A extends OperationResult,
  E extends OperationEndpoint<Q, A>,
>(
  asked: Endable<OperationCall<Q>>,
  { endpointsOf, family }: Operation<Q, A, E>,
  { router }: Pick<OperateDeps, "router">,
): Plan<OperationRoute<E>> {
  const findRoute = (candidate: Candidate): OperationRoute<E> | undefined => {
    const { provider, upstreamModel, traits } = candidate;
    const kind = KINDS[family];
    // The vendor would refuse it too, but only after a request.
    if (kind !== undefined && traits.kind !== undefined && traits.kind !== kind) return undefined;
    const endpoint = endpointsOf(provider).find(
      (each) => (each.serves?.(upstreamModel) ?? true) && (each.answers?.(asked.question) ?? true),
    );
    return endpoint && { ...candidate, endpoint };
  };
  return router.planFor(asked, findRoute, `does not do ${family}, or not in this way`);
}

/** All parts of a request use the same route, because results of two models are not comparable. */
export async function ask<
  Q extends OperationRequest,
  A extends OperationResult,
  E extends OperationEndpoint<Q, A>,
>(
  asked: OperationCall<Q>,
  route: OperationRoute<E>,
  operation: Operation<Q, A, E>,
  transport: UpstreamTransport,
  deps: OperateDeps,
): Promise<PendingResult<A>> {
  const { question, isStrict, signal } = asked;
  const { endpoint, upstreamModel: model } = route;
  const report = new LossReport();
  const tools = toolsFor(route, asked, report, deps);
  const named = { ...question, model };
  const prepared = (await operation.prepare?.(named, endpoint, tools)) ?? named;
  const parts = operation.split(prepared, endpoint.maxInputs);
  const failures: GatewayError[] = [];

  const askPart = async (part: Q): Promise<Part<Q, A>> => {
    try {
      // A request with images is megabytes long, so no reference is kept after it was sent.
      const sending = transport.post(route, write(part, route, report, isStrict));
      const body = await answerTo(sending, route, transport, signal, deps);
      return { question: part, answer: endpoint.style.outbound.parse(body, part) };
    } catch (cause) {
      const error = GatewayError.from(cause);
      failures.push(error);
      const answer = operation.failed?.(error);
      if (answer === undefined || failures.length === parts.length) throw error;
      return { question: part, answer };
    }
  };
  const answered = await mapAtMost(parts, operation.partsAtOnce ?? 1, askPart);
  const joined = operation.join(answered, prepared);
  const answer = (await operation.finish?.(joined, prepared, tools)) ?? joined;
  if (isStrict) report.refuseIfAny();
  // Reported, but never refused: the result is already charged.
  for (const options of operation.shortOf?.(answer, prepared) ?? []) report.lose(options);
  return { answer, lost: report.fields };
}

export function toolsFor(
  route: Candidate,
  { signal, at }: Pick<Served, "signal" | "at">,
  report: LossReport,
  { media, maxPixels }: Pick<OperateDeps, "media" | "maxPixels">,
): Tools {
  return { media, maxPixels, signal, at, upstream: baseOf(route), report };
}

/** The request for an endpoint. */
export function write<Q extends OperationRequest, A extends OperationResult>(
  question: Q,
  { endpoint, traits }: OperationRoute<OperationEndpoint<Q, A>>,
  report: LossReport,
  isStrict: boolean,
): Outgoing<Body> {
  const body = endpoint.style.outbound.build(question, {
    report,
    model: traits,
    ...(endpoint.dialect === undefined ? {} : { dialect: endpoint.dialect }),
  });
  if (isStrict) report.refuseIfAny();
  const { headers = {} } = endpoint;
  if (!(body instanceof Form)) return { body: writeJson(body), headers };
  const { contentType, body: form } = body.encode();
  return { body: form, headers: { ...headers, "content-type": contentType } };
}

/** The response body; if the vendor creates it asynchronously, polls for it. */
async function answerTo<Q extends OperationRequest, A extends OperationResult>(
  sending: Promise<UpstreamReply>,
  route: OperationRoute<OperationEndpoint<Q, A>>,
  transport: UpstreamTransport,
  signal: AbortSignal,
  { clock, pendingMs }: Pick<OperateDeps, "clock" | "pendingMs">,
): Promise<JsonObject> {
  const { pending, style } = route.endpoint;
  const until = clock.monotonic() + pendingMs;
  let body = await wholeOf(sending, style.outbound);
  let missed = 0;
  for (;;) {
    const id = style.outbound.pendingIn?.(body);
    if (id === undefined || pending === undefined) return body;
    if (clock.monotonic() > until) {
      throw new GatewayError("upstream_timeout", "The upstream took too long.");
    }
    await pause(pending.everyMs, signal);
    try {
      body = await wholeOf(transport.get(route, pending.path(id)), style.outbound);
      missed = 0;
    } catch (cause) {
      const { fault } = GatewayError.from(cause);
      if (signal.aborted || fault.blame !== "upstream" || ++missed > MAX_MISSED) throw cause;
    }
  }
}

/**
 * Maximum number of consecutive failed polls: the vendor charges the result even if it is never
 * fetched.
 */
const MAX_MISSED = 3;

export async function wholeOf(
  sending: Promise<UpstreamReply>,
  { listAs, knowsLong }: { readonly listAs?: string; readonly knowsLong?: true },
): Promise<JsonObject> {
  using reply = await sending;
  const parse = knowsLong === true ? parsePlacedAnswer : parseLargeAnswer;
  return await parse(await reply.readAll(), listAs);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal });
  } catch {
    throw abortReason(signal);
  }
}
