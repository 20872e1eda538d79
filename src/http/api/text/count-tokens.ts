import type { Address, InboundStyle } from "#core/style.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import type { ObjectRule } from "#lib/rules.ts";
import { countInput } from "#relay/metering/count-input.ts";
import { unknownModel } from "#relay/routing/unknown-model.ts";
import { withSystemPrompt } from "#relay/translation/with-system-prompt.ts";
import { withinReach } from "#relay/routing/reach.ts";
import { gemini } from "#styles/text/gemini/index.ts";
import { buildCountError } from "#styles/text/messages/error.ts";
import { REQUEST as MESSAGES_REQUEST } from "#styles/text/messages/request/fields.ts";
import { messages } from "#styles/text/messages/index.ts";
import { REQUEST as RESPONSES_REQUEST } from "#styles/text/responses/request/fields.ts";
import { responses } from "#styles/text/responses/index.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { TextDeps } from "#http/deps/text.ts";
import { json } from "#http/json.ts";
import { requireKey } from "#http/require-key.ts";
import { throttle } from "#http/throttle.ts";
import type { Exchange, Endpoint } from "#http/routes.ts";
import { MESSAGE_TOKENS, RESPONSE_TOKENS } from "./answers.ts";
import { continueConversation } from "./conversation.ts";
import { askedWhole } from "./responses.ts";

type CountingDeps = Pick<TextDeps, "channels" | "relay" | "limits" | "clock">;

/** How long an answer may be does not count, and need not be said. */
const COUNT_REQUEST: ObjectRule = {
  ...MESSAGES_REQUEST,
  required: MESSAGES_REQUEST.required.filter((name) => name !== "max_tokens"),
};

export const countMessageTokens: Endpoint<CountingDeps> = {
  operationId: "countMessageTokens",
  tag: "Text",
  answer: jsonAnswer(MESSAGE_TOKENS),
  requestSchema: () => schemaOf(COUNT_REQUEST),
  method: "POST",
  path: "/v1/messages/count_tokens",
  access: "key",
  family: "text",
  summary: "Counts the input tokens of a messages request. Calls no model and costs nothing.",
  renderError: buildCountError,
  async handle(exchange, deps) {
    await throttle(exchange, deps);
    const { json: body } = await exchange.readJson(deps.limits.bodyBytes);
    const question = { ...body, max_tokens: 1 };
    const inputTokens = await count(messages, question, {}, exchange, deps);
    return json({ input_tokens: inputTokens }, exchange.id);
  },
};

export const countResponseTokens: Endpoint<
  CountingDeps & Pick<TextDeps, "responses" | "summarySeal">
> = {
  operationId: "countResponseTokens",
  tag: "Text",
  answer: jsonAnswer(RESPONSE_TOKENS),
  requestSchema: () => schemaOf(RESPONSES_REQUEST),
  method: "POST",
  path: "/v1/responses/input_tokens",
  access: "key",
  family: "text",
  summary: "Counts the input tokens of a responses request. Calls no model and costs nothing.",
  renderError: (error) => responses.inbound.buildError(error),
  async handle(exchange, deps) {
    await throttle(exchange, deps);
    const body = await exchange.readJson(deps.limits.bodyBytes);
    responses.inbound.readRequest(body.json, {});
    const { userId } = requireKey(exchange);
    const { bodyBytes } = deps.limits;
    const asked = await continueConversation(body.json, userId, deps, deps.responses, bodyBytes);
    const question = askedWhole(body, asked, deps).json;
    const inputTokens = await count(responses, question, {}, exchange, deps);
    return json({ object: "response.input_tokens", input_tokens: inputTokens }, exchange.id);
  },
};

/** The request is the body itself, or its `generateContentRequest` member. */
export async function countNativeTokens(
  exchange: Exchange,
  model: string,
  deps: CountingDeps,
): Promise<Response> {
  await throttle(exchange, deps);
  const { json: body } = await exchange.readJson(deps.limits.bodyBytes);
  const nested = body["generateContentRequest"] ?? body["generate_content_request"];
  const question = isObject(nested) ? nested : body;
  const address = { model, stream: false };
  const totalTokens = await count(gemini, question, address, exchange, deps);
  return json({ totalTokens }, exchange.id);
}

async function count(
  style: InboundStyle,
  body: JsonObject,
  address: Address,
  exchange: Exchange,
  { channels }: Pick<TextDeps, "channels">,
): Promise<number> {
  const facts = style.inbound.readRequest(body, address);
  const found = channels.find(facts.model);
  const [candidate] = withinReach(requireKey(exchange), facts.model, found) ?? [];
  if (candidate === undefined) throw unknownModel(requireKey(exchange), facts.model, channels);
  const request = withSystemPrompt(style.inbound.parseRequest(body, facts), candidate.channel);
  return await countInput(request, candidate.traits);
}
