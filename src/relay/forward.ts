import { GatewayError } from "#core/error.ts";
import type { SharedFormat, SharedRequest } from "#core/shared-format.ts";
import { Form } from "#lib/form.ts";
import { setMembers } from "#lib/json.ts";
import type { Body } from "#lib/pieces.ts";
import { SSE_COMMENT } from "#lib/sse.ts";
import type { UpstreamReply } from "#egress/egress.ts";
import type { SharedEndpoint } from "#providers/provider.ts";
import { asGatewayError } from "#styles/upstream-error.ts";
import { admit } from "./admit.ts";
import type { AnswerStream } from "./delivery/answer-stream.ts";
import { callWithFailover, type Outgoing, type UpstreamTransport } from "./failover/attempt.ts";
import type { Served, StreamedAnswer, WholeAnswer } from "./call.ts";
import type { CallDeps } from "./call-deps.ts";
import { Delivery, type DeliverySettings } from "./delivery/deliver.ts";
import { streamToClient } from "./delivery/stream-to-client.ts";
import { safeContentType } from "./delivery/safe-content-type.ts";
import { endable, type Endable } from "./metering/open-calls.ts";
import { PassedStream } from "./translation/passthrough.ts";
import type { Candidate, Plan, Router } from "./routing/route.ts";
import type { Settlement } from "./metering/settlement.ts";
import { SoundStream } from "./delivery/sound-stream.ts";
import { parseAnswer, type WholeReading } from "./delivery/whole.ts";
import { WholeStream } from "./delivery/whole-stream.ts";

/** A running request in a format that clients share with upstreams. */
interface Forwarded extends Served {
  readonly question: SharedRequest;
  readonly format: SharedFormat;
}

export interface ForwardDeps extends CallDeps {
  readonly delivery: DeliverySettings;
}

type ForwardedAnswer = (WholeAnswer | WordlessAnswer) & { readonly contentType: string };

interface WordlessAnswer extends StreamedAnswer {
  /** The response format has no place for an error. */
  readonly isWordless: boolean;
}

/** Forwards one request unchanged, from admission to settlement, and the response as it comes. */
export async function forward(asked: Forwarded, deps: ForwardDeps): Promise<ForwardedAnswer> {
  const call = endable(asked);
  const planner = { plan: () => planFor(call, deps.router) };
  const { plan, settlement } = await admit(call, planner, deps.admission);
  try {
    return call.question.stream
      ? await forwardStream(call, plan, settlement, deps)
      : await forwardWhole(call, plan, settlement, deps);
  } catch (cause) {
    const error = GatewayError.from(cause);
    await settlement.fail(error);
    throw error;
  }
}

interface SharedRoute extends Candidate {
  readonly endpoint: SharedEndpoint;
}

function planFor(call: Forwarded, router: Router): Plan<SharedRoute> {
  const { format, question } = call;
  const findRoute = (candidate: Candidate): SharedRoute | undefined => {
    const { provider, upstreamModel } = candidate;
    const endpoint = provider.shared?.find(
      (each) =>
        each.style.id === format.id &&
        (each.serves?.(upstreamModel) ?? true) &&
        (each.answers?.(question) ?? true),
    );
    return endpoint && { ...candidate, endpoint };
  };
  return router.planFor(call, findRoute, `does not do ${format.id}, or not in this way`);
}

/** The response is sent after its settlement is on disk, so that a crash cannot lose the charge. */
async function forwardWhole(
  call: Forwarded,
  plan: Plan<SharedRoute>,
  settlement: Settlement,
  deps: ForwardDeps,
): Promise<ForwardedAnswer> {
  const begun = await callWithFailover(
    call,
    plan,
    settlement,
    deps.attempts,
    async (route, transport) => {
      using reply = await transport.post(route, outgoing(call, route));
      return await readWhole(reply, call);
    },
  );
  begun.release();
  const { body, contentType, lost } = begun.answer;
  settlement.beginMetering(begun.route, begun.answer, begun.answer);
  await settlement.complete();
  return { kind: "whole", body, contentType, lost };
}

async function forwardStream(
  call: Endable<Forwarded>,
  plan: Plan<SharedRoute>,
  settlement: Settlement,
  deps: ForwardDeps,
): Promise<ForwardedAnswer> {
  const begun = await callWithFailover(
    call,
    plan,
    settlement,
    deps.attempts,
    async (route, transport) => {
      const { stream, contentType, keepAlive } = await openStream(call, route, transport, deps);
      return { contentType, delivery: await Delivery.begin(stream, deps.delivery, keepAlive) };
    },
  );
  const { contentType, delivery } = begun.answer;
  const answer = await streamToClient(call, delivery, begun, settlement);
  call.question.body = EMPTY_FORM;
  return {
    kind: "stream",
    contentType,
    lost: answer.lost,
    isTranslated: answer.isTranslated,
    isWordless: delivery.stream instanceof SoundStream,
    send: (sink) => answer.send(sink),
  };
}

const EMPTY_FORM = new Form([]);

interface Opened {
  readonly stream: AnswerStream;
  readonly contentType: string;
  readonly keepAlive?: string;
}

/** The upstream's content type decides, because some upstreams do not stream. */
async function openStream(
  call: Forwarded,
  route: SharedRoute,
  transport: UpstreamTransport,
  { delivery }: ForwardDeps,
): Promise<Opened> {
  const { format, question } = call;
  const reply = await transport.post(route, outgoing(call, route));
  const type = typeOf(reply);
  if (/^text\/event-stream/i.test(type)) {
    return {
      stream: new PassedStream(reply, format.openTap(question), delivery.maxEventBytes),
      contentType: "text/event-stream; charset=utf-8",
      keepAlive: SSE_COMMENT,
    };
  }
  if (format.answersIn(question) === "audio" && !/^text\/|json/i.test(type)) {
    return { stream: new SoundStream(reply), contentType: safeContentType(type) };
  }
  using whole = reply;
  const reading = await readWhole(whole, call);
  return { stream: new WholeStream(reading), contentType: reading.contentType };
}

interface TypedReading extends WholeReading {
  readonly contentType: string;
}

async function readWhole(
  reply: UpstreamReply,
  { format, question }: Forwarded,
): Promise<TypedReading> {
  const bytes = await reply.readAll();
  const type = typeOf(reply);
  const isText = format.answersIn(question) === "text" && !/json/i.test(type);
  if (isText && /html|event-stream/i.test(type)) {
    throw new GatewayError(
      "upstream_failed",
      "The upstream's answer has an unexpected content type.",
    );
  }
  const said = isText ? new TextDecoder().decode(bytes) : parseAnswer(bytes);
  const error = typeof said === "string" ? undefined : format.outbound.errorIn(said);
  if (error !== undefined) throw asGatewayError(error);
  const { usage, inputUsage, outputText = "", rewritten } = format.readAnswer(said, question);
  return {
    body: rewritten ?? bytes,
    contentType: rewritten === undefined ? (isText ? safeContentType(type) : JSON_TYPE) : TEXT_TYPE,
    usage,
    inputUsage,
    takeOutputText: () => outputText,
    lost: [],
  };
}

/** The client's fields and files, with the upstream's model name. */
function outgoing(
  { question: { body, edits } }: Forwarded,
  { endpoint: { omits = [] }, upstreamModel }: SharedRoute,
): Outgoing<Body> {
  const omitted = Object.fromEntries(omits.map((name) => [name, undefined]));
  const all = { ...edits, ...omitted, model: upstreamModel };
  if (!(body instanceof Form)) {
    return { body: setMembers(body.text, body.outline, all), headers: ANYTHING };
  }
  const { contentType, body: form } = body.with(all).encode();
  return { body: form, headers: { ...ANYTHING, "content-type": contentType } };
}

const JSON_TYPE = "application/json";
const TEXT_TYPE = "text/plain; charset=utf-8";
const ANYTHING = { accept: "*/*" };

function typeOf({ headers }: UpstreamReply): string {
  return headers.get("content-type")?.trim() ?? "";
}
