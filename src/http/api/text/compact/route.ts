import { GatewayError } from "#core/error.ts";
import type { RequestBody } from "#core/style.ts";
import { randomBase62 } from "#lib/ids.ts";
import { isObject, outlineJson, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, pick, textOf } from "#lib/values.ts";
import { withinReach } from "#relay/routing/reach.ts";
import { compactions } from "#styles/text/responses/conversation/compaction.ts";
import { REQUEST } from "#styles/text/responses/request/fields.ts";
import { responses } from "#styles/text/responses/index.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { ConversationDeps, TextDeps } from "#http/deps/text.ts";
import { withIdempotency } from "#http/idempotency.ts";
import type { Reply, WholeReply } from "#http/reply.ts";
import { requireKey } from "#http/require-key.ts";
import type { Exchange, Endpoint } from "#http/routes.ts";
import { jsonCall } from "#http/api/json-call.ts";
import { COMPACTION } from "../answers.ts";
import { answerShared } from "../../forward/serve-shared.ts";
import { continueConversation, type Continued } from "../conversation.ts";
import { replyTo } from "../generate.ts";
import { sealSummary } from "./sealed-summary.ts";
import { toSummarize, userMessages } from "./transcript.ts";

export const compactResponse: Endpoint<ConversationDeps> = {
  ...jsonCall(responses, REQUEST),
  operationId: "compactResponse",
  tag: "Text",
  answer: jsonAnswer(COMPACTION),
  path: "/v1/responses/compact",
  access: "key",
  family: "text",
  summary:
    "Compacts a conversation for continuation: by the vendor if it can, otherwise by a summary of the same model.",
  async handle(exchange, deps) {
    const sent = await exchange.readJson(deps.limits.bodyBytes);
    const { model } = responses.inbound.readRequest({ ...sent.json, stream: false }, {});
    return await withIdempotency(exchange, sent.text, deps, async () => {
      const { userId } = requireKey(exchange);
      const { bodyBytes } = deps.limits;
      const asked = await continueConversation(sent.json, userId, deps, deps.responses, bodyBytes);
      const reply = isOfVendor(model, exchange, deps)
        ? await byVendor(exchange, sent.json, asked, deps)
        : undefined;
      return reply ?? (await bySummary(exchange, sent.json, asked, deps));
    });
  },
};

/** Whether the model's first channel is of a vendor that can compact conversations itself. */
function isOfVendor(
  model: string,
  exchange: Exchange,
  { channels }: Pick<TextDeps, "channels">,
): boolean {
  const [first] = withinReach(requireKey(exchange), model, channels.find(model)) ?? [];
  const style = first?.channel.style ?? responses.id;
  const shared = first?.provider.shared ?? [];
  return style === responses.id && shared.some((each) => each.style.id === compactions.id);
}

/**
 * Undefined if the upstream has no such endpoint: servers compatible with the vendor's API may lack
 * it.
 */
async function byVendor(
  exchange: Exchange,
  body: JsonObject,
  { input }: Continued,
  deps: Pick<TextDeps, "relay" | "limits" | "clock">,
): Promise<Reply | undefined> {
  const question = compactions.inbound.read?.(bodyOf({ ...body, input }, deps));
  if (question === undefined) return undefined;
  try {
    return await answerShared(exchange, question, compactions, deps);
  } catch (cause) {
    const status = cause instanceof GatewayError ? cause.vendor?.status : undefined;
    if (status === 404 || status === 405) return undefined;
    throw cause;
  }
}

/** Members of the client's request that the summary call needs. */
const KEPT = [
  "model",
  "instructions",
  "reasoning",
  "service_tier",
  "prompt_cache_key",
  "safety_identifier",
  "user",
];

async function bySummary(
  exchange: Exchange,
  body: JsonObject,
  asked: Continued,
  deps: Pick<TextDeps, "relay" | "limits" | "clock" | "onStream" | "summarySeal">,
): Promise<WholeReply> {
  const request = bodyOf(
    { ...pick(body, KEPT), input: toSummarize(asked.input), store: false, stream: false },
    deps,
  );
  const reply = await replyTo(exchange, responses, request, deps, {});
  const response = reply.kind === "whole" ? objectIn(reply.body) : undefined;
  const summary = textOfAnswer(response).trim();
  if (reply.kind !== "whole" || summary === "") {
    throw new GatewayError("upstream_failed", "The model answered without a summary.");
  }
  const { userId } = requireKey(exchange);
  const compaction = {
    id: `resp_${randomBase62(24)}`,
    object: "response.compaction",
    created_at: Math.floor(deps.clock.now() / 1_000),
    output: [
      ...userMessages(asked.sealed).map(asItem),
      sealSummary(summary, userId, deps.summarySeal),
    ],
    usage: response?.["usage"] ?? null,
  };
  return { ...reply, body: JSON.stringify(compaction) };
}

function bodyOf(json: JsonObject, { limits }: Pick<TextDeps, "limits">): RequestBody {
  const text = JSON.stringify(json);
  return { text, outline: outlineJson(text, limits.jsonDepth), json };
}

function objectIn(body: WholeReply["body"]): JsonObject | undefined {
  const text = typeof body === "string" ? body : body instanceof Uint8Array ? decode(body) : "";
  const json = parseJson(text);
  return isObject(json) ? json : undefined;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function textOfAnswer(response: JsonObject | undefined): string {
  return listOf(response?.["output"])
    .filter((item) => memberOf(item, "type") === "message")
    .flatMap((item) => listOf(memberOf(item, "content")))
    .map((part) => textOf(memberOf(part, "text")) ?? "")
    .join("");
}

function asItem({ content, ...message }: JsonObject): JsonObject {
  const parts: Json =
    typeof content === "string" ? [{ type: "input_text", text: content }] : (content ?? []);
  return {
    id: `msg_${randomBase62(24)}`,
    ...message,
    type: "message",
    status: "completed",
    content: parts,
  };
}
