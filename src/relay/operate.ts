import { GatewayError } from "#core/error.ts";
import type { Family } from "#core/family.ts";
import { LossReport } from "#core/lossy.ts";
import type { Part, Question, QuestionKind, Reading } from "#core/operation.ts";
import type { OperationEndpoint, Provider } from "#providers/provider.ts";
import { admit, type AdmitDeps } from "./admit.ts";
import { firstToAnswer, type AttemptDeps, type Way } from "./attempt.ts";
import type { Served } from "./call.ts";
import { endable } from "./open-calls.ts";
import type { Candidate } from "./route.ts";
import { parseAnswer } from "./whole.ts";

/** A kind of question, and who answers it. */
export interface Operation<Q extends Question, A extends Reading> extends QuestionKind<Q, A> {
  readonly family: Family;
  endpointsOf(provider: Provider): readonly OperationEndpoint<Q, A>[];
}

/** A question on its way. */
export interface Asked<Q extends Question> extends Served {
  readonly question: Q;
  /** The caller would rather be refused than lose a field. */
  readonly isStrict: boolean;
}

export interface Told<A extends Reading> {
  readonly answer: A & Required<Reading>;
  readonly lost: readonly string[];
}

interface Found<A> {
  readonly answer: A;
  readonly lost: readonly string[];
}

/** One question, from admission to settlement. The answer leaves once it is paid for on disk. */
export async function operate<Q extends Question, A extends Reading>(
  asked: Asked<Q>,
  operation: Operation<Q, A>,
  deps: AttemptDeps & AdmitDeps,
): Promise<Told<A>> {
  const call = endable(asked);
  const makePlan = () =>
    deps.router.planFor(
      call,
      (each) => findRoute(each, operation),
      `does not do ${operation.family}`,
    );
  const { plan, settlement } = await admit(call, makePlan, deps);
  try {
    const begun = await firstToAnswer(call, plan, settlement, deps, (route, way) =>
      ask(call, route, operation, way),
    );
    begun.release();
    const { answer, lost } = begun.answer;
    const usage = answer.usage ?? (await call.count("", begun.route.traits, 0));
    settlement.answering(begun.route, { usage, takeOutputText: () => "" }, lost);
    await settlement.complete();
    return { answer: { ...answer, usage }, lost };
  } catch (cause) {
    const error = GatewayError.from(cause);
    await settlement.fail(error);
    throw error;
  }
}

interface OperationRoute<Q extends Question, A extends Reading> extends Candidate {
  readonly endpoint: OperationEndpoint<Q, A>;
}

/** All parts of a question go the same way, since vectors and scores of two models do not compare. */
async function ask<Q extends Question, A extends Reading>(
  { question, isStrict }: Asked<Q>,
  route: OperationRoute<Q, A>,
  operation: Operation<Q, A>,
  way: Way,
): Promise<Found<A>> {
  const { endpoint, upstreamModel: model, traits } = route;
  const { outbound } = endpoint.style;
  const report = new LossReport();
  const context = {
    report,
    model: traits,
    ...(endpoint.dialect === undefined ? {} : { dialect: endpoint.dialect }),
  };
  const parts: Part<Q, A>[] = [];
  for (const part of operation.split({ ...question, model }, endpoint.maxInputs)) {
    const body = outbound.build(part, context);
    if (isStrict) report.refuseIfAny();
    using reply = await way.send(route, { body: JSON.stringify(body), headers: {} });
    parts.push({
      question: part,
      answer: outbound.parse(parseAnswer(await reply.readAll()), part),
    });
  }
  return { answer: operation.join(parts, question), lost: report.fields };
}

function findRoute<Q extends Question, A extends Reading>(
  candidate: Candidate,
  { endpointsOf }: Operation<Q, A>,
): OperationRoute<Q, A> | undefined {
  const { provider, upstreamModel } = candidate;
  const endpoint = endpointsOf(provider).find((each) => each.serves?.(upstreamModel) ?? true);
  return endpoint && { ...candidate, endpoint };
}
