import { invalid } from "#core/error.ts";
import type {
  InboundFormat,
  OperationRequest,
  OperationKind,
  OperationResult,
} from "#core/operation.ts";
import type { Address } from "#core/style.ts";
import { clampCount, fitUnits, NO_USAGE } from "#core/usage.ts";
import type { Form } from "#lib/form.ts";
import { writeJson } from "#lib/long-base64.ts";
import { Pieces } from "#lib/pieces.ts";
import type { OperationEndpoint } from "#providers/provider.ts";
import { countRoughInput } from "#relay/metering/count-usage.ts";
import { operate, type OperationCall, type Operation } from "#relay/operate.ts";
import type { OperationDeps, SharedDeps } from "#http/deps/operations.ts";
import { callTags } from "#http/call-tags.ts";
import { lossyHeader } from "#http/lossy-header.ts";
import { withIdempotency } from "#http/idempotency.ts";
import { rateHeaders } from "#http/rate-headers.ts";
import type { WholeReply } from "#http/reply.ts";
import { requireKey } from "#http/require-key.ts";
import { budgetHeader } from "#http/budget-header.ts";
import { unpricedHeader } from "#http/unpriced-header.ts";
import type { Exchange } from "#http/routes.ts";

/**
 * Serves an operation in any format: parse the request, perform it, and respond in the same format.
 */
export async function serveQuestion<
  Q extends OperationRequest,
  A extends OperationResult,
  E extends OperationEndpoint<Q, A>,
>(
  exchange: Exchange,
  format: InboundFormat<Q, A>,
  operation: Operation<Q, A, E>,
  deps: OperationDeps,
  address: Address = {},
): Promise<Response> {
  const { question, sent } = await readQuestion(exchange, format, deps.limits.bodyBytes, address);
  return await withIdempotency(exchange, sent, deps, () =>
    answerQuestion(exchange, question, format, operation, deps),
  );
}

/** `sent`: the body as received; it is released after parsing. */
export async function readQuestion<Q extends OperationRequest, A extends OperationResult>(
  exchange: Exchange,
  { inbound }: InboundFormat<Q, A>,
  maxBytes: number,
  address: Address = {},
): Promise<{ readonly question: Q; readonly sent: string | Uint8Array | Form }> {
  const form = inbound.readForm === undefined ? undefined : await exchange.readForm(maxBytes);
  if (form !== undefined && inbound.readForm !== undefined) {
    return { question: named(inbound.readForm(form, address)), sent: form };
  }
  if (inbound.knowsLong === true) {
    const { json, bytes } = await exchange.readPlacedJson(maxBytes);
    return { question: named(inbound.read(json, address)), sent: bytes };
  }
  const { json, text } = await exchange.readJson(maxBytes);
  return { question: named(inbound.read(json, address)), sent: text };
}

export function named<Q extends OperationRequest>(question: Q): Q {
  if (question.model === "") throw invalid("model", "'model' must name a model.");
  return question;
}

export async function answerQuestion<
  Q extends OperationRequest,
  A extends OperationResult,
  E extends OperationEndpoint<Q, A>,
>(
  exchange: Exchange,
  question: Q,
  format: InboundFormat<Q, A>,
  operation: Operation<Q, A, E>,
  deps: Pick<OperationDeps, "relay" | "limits" | "clock">,
): Promise<WholeReply> {
  const asked = askedBy(exchange, question, format.id, operation, deps);
  // From here on, the upstream's deadlines apply.
  using _pause = exchange.suspendIdleTimeout();
  const told = await operate(asked, operation, deps.relay);
  const body = writeJson(format.inbound.write(told.answer, question, exchange.id));
  if (body instanceof Pieces) exchange.setStall(deps.limits.callerStallMs);
  return {
    kind: "whole",
    headers: { "content-type": "application/json", ...lossyHeader(told.lost) },
    body,
  };
}

export function askedBy<Q extends OperationRequest, A extends OperationResult>(
  exchange: Exchange,
  question: Q,
  id: string,
  kind: Pick<OperationKind<Q, A>, "sizeOf" | "wordsOf" | "expect" | "unitsOf">,
  { clock }: Pick<SharedDeps, "clock">,
): OperationCall<Q> {
  const inputTokens = clampCount(kind.sizeOf(question));
  const units = fitUnits(kind.unitsOf?.(question) ?? {});
  const { maxOutputTokens, choices } = kind.expect?.(question) ?? NO_OUTPUT;
  const tags = callTags(exchange.request.headers);
  return {
    id: exchange.id,
    key: requireKey(exchange),
    style: { id },
    endpoint: exchange.family,
    ...(tags === undefined ? {} : { tags }),
    question,
    facts: { model: question.model, stream: question.stream === true, maxOutputTokens, choices },
    inputTokens,
    units,
    isStrict: exchange.request.headers.get("sluice-strict") === "true",
    signal: exchange.signal,
    traceparent: exchange.request.headers.get("traceparent") ?? undefined,
    at: clock.now(),
    startedAt: clock.monotonic(),
    onUnpriced: (what) => exchange.announce(unpricedHeader(what)),
    onBudgetWarning: (budgets) => exchange.announce(budgetHeader(budgets)),
    onCharged(record) {
      // Some of these streams are sound.
      exchange.announceCharge(record);
      return undefined;
    },
    onStanding: (status) => exchange.announce(rateHeaders(status, undefined, clock.now())),
    async count(_outputText, traits) {
      const texts = kind.wordsOf(question);
      const counted = await countRoughInput({ inputTokens, texts }, traits);
      return { ...NO_USAGE, ...units, inputTokens: counted, isEstimated: true };
    },
  };
}

const NO_OUTPUT = { maxOutputTokens: 0, choices: 1 } as const;
