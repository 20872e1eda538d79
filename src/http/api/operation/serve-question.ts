import { invalid } from "#core/error.ts";
import type { InboundFormat, Question, Reading } from "#core/operation.ts";
import type { Address } from "#core/style.ts";
import { fitsIn, fitUnits, NO_USAGE } from "#core/usage.ts";
import { operate, type Asked, type Operation } from "#relay/operate.ts";
import type { HttpDeps } from "#http/deps.ts";
import { once } from "#http/once.ts";
import { rateHeaders } from "#http/rate-headers.ts";
import type { WholeReply } from "#http/reply.ts";
import { requireKey } from "#http/require-key.ts";
import type { Exchange } from "#http/routes.ts";

/** A question in any format: read it, have it answered, and answer in the same format. */
export async function serveQuestion<Q extends Question, A extends Reading>(
  exchange: Exchange,
  format: InboundFormat<Q, A>,
  operation: Operation<Q, A>,
  deps: HttpDeps,
  address: Address = {},
): Promise<Response> {
  const sent = await exchange.readJson(deps.limits.bodyBytes);
  const question = format.inbound.read(sent.json, address);
  if (question.model === "") throw invalid("model", "'model' must name a model.");
  return await once(exchange, sent.text, deps, () =>
    answer(exchange, question, format, operation, deps),
  );
}

async function answer<Q extends Question, A extends Reading>(
  exchange: Exchange,
  question: Q,
  format: InboundFormat<Q, A>,
  operation: Operation<Q, A>,
  deps: HttpDeps,
): Promise<WholeReply> {
  const asked = askedBy(exchange, question, format.id, operation, deps);
  // From here on the upstream's deadlines apply.
  using _patience = exchange.waitLong();
  const told = await operate(asked, operation, deps.relay);
  const lossy: Record<string, string> =
    told.lost.length > 0 ? { "sluice-lossy": told.lost.join(", ") } : {};
  return {
    kind: "whole",
    headers: { "content-type": "application/json", ...lossy },
    body: JSON.stringify(format.inbound.write(told.answer, question)),
  };
}

function askedBy<Q extends Question, A extends Reading>(
  exchange: Exchange,
  question: Q,
  id: string,
  operation: Operation<Q, A>,
  { clock }: HttpDeps,
): Asked<Q> {
  const inputTokens = fitsIn(operation.sizeOf(question));
  const units = fitUnits(operation.unitsOf?.(question) ?? {});
  return {
    id: exchange.id,
    key: requireKey(exchange),
    style: { id },
    question,
    facts: { model: question.model, stream: false, maxOutputTokens: 0, choices: 1 },
    inputTokens,
    units,
    isStrict: exchange.request.headers.get("sluice-strict") === "true",
    signal: exchange.signal,
    at: clock.now(),
    startedAt: clock.monotonic(),
    onStanding: (standing) => exchange.announce(rateHeaders(standing, undefined, clock.now())),
    count: async () => ({ ...NO_USAGE, ...units, inputTokens, isEstimated: true }),
  };
}
