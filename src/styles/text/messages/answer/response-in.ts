import type { ChatEvent } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { isArray, isObject, type JsonObject } from "#lib/json.ts";
import { AnswerReader } from "./answer-reader.ts";
import { asGatewayError } from "#styles/upstream-error.ts";
import { errorIn } from "../failure.ts";

/** An answer in one piece; its blocks come whole. */
export function parseResponse(body: JsonObject): readonly ChatEvent[] {
  const error = errorIn(body);
  if (error !== undefined) throw asGatewayError(error);
  const { content } = body;
  if (!isArray(content)) {
    throw new GatewayError("upstream_failed", "The upstream's response has no message.");
  }

  const reader = new AnswerReader();
  const events = reader.start(body);
  for (const [index, block] of content.entries()) {
    if (isObject(block)) events.push(...reader.open(index, block), ...reader.close());
  }
  reader.update(body, undefined);
  if (content.length === 0 && !reader.hasReason) {
    throw new GatewayError("upstream_failed", "The upstream's answer is empty.");
  }
  return [...events, ...reader.finish()];
}
