import { GatewayError } from "#core/error.ts";
import type { ReasoningHome, ReasoningHomes } from "#core/reasoning-home.ts";
import type { Passthrough } from "#core/style.ts";
import { admit, type AdmitDeps } from "./admit.ts";
import { openAdapted, readAdapted } from "./adapted.ts";
import type { AnswerStream } from "./answer-stream.ts";
import { inCallersWords } from "./callers-field.ts";
import { firstToAnswer, type AttemptDeps, type Begin, type Way } from "./attempt.ts";
import type { Answer, Call } from "./call.ts";
import { Delivery, type DeliverySettings } from "./deliver.ts";
import {
  forgetQuestion,
  passStream,
  passthroughRequest,
  passWhole,
  refuseNonStream,
} from "./passthrough.ts";
import { endable, type Endable } from "./open-calls.ts";
import { handOver } from "./hand-over.ts";
import { findHome, isAway, type Homing } from "./reasoning-home.ts";
import type { Route, WireRoute } from "./route.ts";
import type { Settlement } from "./settlement.ts";
import {
  gatherStream,
  translateRequest,
  translateStream,
  translateWhole,
  type TranslationDeps,
} from "./translate.ts";
import type { WholeReading } from "./whole.ts";

export interface RelayDeps extends AttemptDeps, AdmitDeps, TranslationDeps {
  readonly delivery: DeliverySettings;
  /** Where conversations were answered; nothing is kept if absent. */
  readonly homes?: ReasoningHomes;
}

/** One call, from admission to settlement. */
export async function relay(asked: Call, deps: RelayDeps): Promise<Answer> {
  const call = endable(asked);
  const { plan, settlement } = await admit(call, () => deps.router.plan(call), deps);
  try {
    const homing = await findHome(call, plan, deps.homes);
    return call.facts.stream
      ? await relayStream(call, homing, settlement, deps)
      : await relayWhole(call, homing, settlement, deps);
  } catch (cause) {
    const error = inCallersWords(GatewayError.from(cause), call.style, call.body.json);
    await settlement.fail(error);
    throw error;
  }
}

/** The answer leaves once its settlement is on disk, so that no crash can give it away. */
async function relayWhole(
  call: Call,
  homing: Homing,
  settlement: Settlement,
  deps: RelayDeps,
): Promise<Answer> {
  const begin = beginWhole(call, deps, homing.home);
  const begun = await firstToAnswer(call, homing.plan, settlement, deps, begin);
  homing.keep(begun);
  begun.release();
  settlement.answering(begun.route, begun.answer, begun.answer);
  await settlement.complete();
  return { kind: "whole", body: begun.answer.body, lost: begun.answer.lost };
}

async function relayStream(
  call: Endable<Call>,
  homing: Homing,
  settlement: Settlement,
  deps: RelayDeps,
): Promise<Answer> {
  const begin = beginStream(call, deps, homing.home);
  const begun = await firstToAnswer(call, homing.plan, settlement, deps, begin);
  homing.keep(begun);
  const answer = await handOver(call, begun.answer, begun, settlement);
  forgetQuestion(call);
  return answer;
}

export function beginWhole(
  call: Call,
  deps: TranslationDeps & { readonly delivery: Pick<DeliverySettings, "maxEventBytes"> },
  home?: ReasoningHome,
): Begin<WholeReading> {
  const { vault } = deps;
  return async (route, way) => {
    if (route.endpoint === undefined)
      return await readAdapted(call, route, way.openSession(), vault);
    const passthrough = passthroughFor(call, route);
    if (passthrough !== undefined) {
      const request = passthroughRequest(call, route, passthrough, isAway(home, route, way));
      using reply = await way.send(route, request);
      return await passWhole(reply, passthrough, call, request);
    }
    const isStreamed = isGathered(call.facts, route.endpoint, route.upstreamModel);
    const told = { isStreamed, isAway: isAway(home, route, way) };
    const translation = await translateRequest(call, route, deps, told);
    using reply = await way.send(route, translation);
    if (!isStreamed) return await translateWhole(reply, call, route, translation, vault);
    await refuseNonStream(reply, route.endpoint.style);
    const { maxEventBytes } = deps.delivery;
    return await gatherStream(reply, call, route, translation, maxEventBytes, vault);
  };
}

function beginStream(
  call: Call,
  deps: RelayDeps,
  home: ReasoningHome | undefined,
): Begin<Delivery> {
  return async (route, way) =>
    Delivery.begin(
      await openStream(call, route, way, deps, home),
      deps.delivery,
      call.style.keepAlive,
    );
}

async function openStream(
  call: Call,
  route: Route,
  way: Way,
  deps: RelayDeps,
  home: ReasoningHome | undefined,
): Promise<AnswerStream> {
  const { vault, delivery } = deps;
  if (route.endpoint === undefined) return openAdapted(call, route, way.openSession(), vault);
  const { style } = route.endpoint;
  const maxEventBytes = mostOfAnEvent(route, delivery);
  const passthrough = passthroughFor(call, route);
  if (passthrough !== undefined) {
    const request = passthroughRequest(call, route, passthrough, isAway(home, route, way));
    const reply = await way.send(route, request);
    return await passStream(reply, call, route.endpoint, passthrough, maxEventBytes, request);
  }
  const told = { isAway: isAway(home, route, way) };
  const translation = await translateRequest(call, route, deps, told);
  const reply = await way.send(route, translation);
  await refuseNonStream(reply, style);
  return translateStream(reply, call, route, translation, maxEventBytes, vault);
}

/** A picture is one event, however large. */
function mostOfAnEvent(
  { traits }: Route,
  { maxEventBytes, maxPictureEventBytes }: DeliverySettings,
): number {
  return traits.output?.includes("image") === true ? maxPictureEventBytes : maxEventBytes;
}

/** A whole answer of an upstream that only streams is gathered from its stream. */
function isGathered(
  { stream }: Call["facts"],
  { streamsOnly }: WireRoute["endpoint"],
  model: string,
): boolean {
  return !stream && streamsOnly?.(model) === true;
}

/** The same style on both sides, kept to by the vendor, and nothing asked of us: no need to translate. */
export function passthroughFor(
  { style, facts, body }: Pick<Call, "style" | "facts" | "body">,
  route: WireRoute,
): Passthrough | undefined {
  const { endpoint, steering, traits, upstreamModel } = route;
  const isAlike = endpoint.style.id === style.id && endpoint.isFaithful;
  const isPlain = facts.mustTranslate !== true && steering === undefined;
  if (!isAlike || !isPlain || isGathered(facts, endpoint, upstreamModel)) return undefined;
  const { passthrough } = endpoint.style;
  const { dialect } = endpoint;
  const mustTranslate = passthrough?.mustTranslate?.(body.json, traits, facts, dialect) === true;
  return mustTranslate ? undefined : passthrough;
}
