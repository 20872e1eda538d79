import { GatewayError } from "#core/error.ts";
import type { ModelTraits } from "#core/model.ts";
import type { SharedFormat, SharedRequest } from "#core/shared-format.ts";
import { clampCount } from "#core/usage.ts";
import type { Form } from "#lib/form.ts";
import { forward } from "#relay/forward.ts";
import { countOutput, countRoughInput } from "#relay/metering/count-usage.ts";
import { askedBy, named } from "#http/api/operation/serve-question.ts";
import type { SharedDeps } from "#http/deps/operations.ts";
import { withIdempotency } from "#http/idempotency.ts";
import { STREAM_HEADERS, type Reply } from "#http/reply.ts";
import type { Exchange } from "#http/routes.ts";

/** Serves a request that is forwarded unchanged. `usual`: the model if the client names none. */
export async function serveShared(
  exchange: Exchange,
  format: SharedFormat,
  deps: SharedDeps,
  usual = "",
): Promise<Response> {
  const { question, sent } = await readShared(exchange, format, deps);
  const asked = named(question.model === "" ? { ...question, model: usual } : question);
  return await withIdempotency(exchange, sent, deps, () =>
    answerShared(exchange, asked, format, deps),
  );
}

/** `sent`: the body as received; it is released after parsing. */
async function readShared(
  exchange: Exchange,
  { inbound }: SharedFormat,
  { limits }: Pick<SharedDeps, "limits">,
): Promise<{ readonly question: SharedRequest; readonly sent: string | Form }> {
  if (inbound.read !== undefined) {
    const body = await exchange.readJson(limits.bodyBytes);
    return { question: inbound.read(body), sent: body.text };
  }
  const form = await exchange.readForm(limits.mediaBodyBytes);
  if (form === undefined || inbound.readForm === undefined) {
    throw new GatewayError(
      "unsupported_media_type",
      "The Content-Type must be 'multipart/form-data'.",
    );
  }
  return { question: inbound.readForm(form), sent: form };
}

/** Answers a forwarded request that is already parsed. */
export async function answerShared(
  exchange: Exchange,
  question: SharedRequest,
  format: SharedFormat,
  deps: Pick<SharedDeps, "relay" | "limits" | "clock">,
): Promise<Reply> {
  const asked = {
    ...askedBy(exchange, question, format.id, SIZES, deps),
    format,
    count: async (outputText: string, traits: ModelTraits, countedTokens: number) =>
      format.guess(question, {
        inputTokens: await countRoughInput(roughInputOf(question), traits),
        outputTokens: await countOutput(outputText, traits, countedTokens),
      }),
  };
  // From here on, the upstream's deadlines apply.
  using _pause = exchange.suspendIdleTimeout();
  const answer = await forward(asked, deps.relay);
  const headers = { "content-type": answer.contentType };
  if (answer.kind === "whole") return { kind: "whole", headers, body: answer.body };
  exchange.setStall(deps.limits.callerStallMs);
  return {
    kind: "stream",
    headers: { ...STREAM_HEADERS, ...headers },
    isWordless: answer.isWordless,
    fill: (sink) => answer.send(sink),
  };
}

function roughInputOf({ inputTokens, words }: SharedRequest) {
  return { inputTokens: clampCount(inputTokens), texts: [{ words, times: 1 }] };
}

const SIZES = {
  sizeOf: ({ inputTokens }: SharedRequest) => inputTokens,
  wordsOf: ({ words }: SharedRequest) => [{ words, times: 1 }],
  unitsOf: ({ units }: SharedRequest) => units,
  expect: ({ maxOutputTokens }: SharedRequest) => ({ maxOutputTokens, choices: 1 }),
};
