import { GatewayError } from "#core/error.ts";
import type { RequestFacts } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, memberOf, textOf } from "#lib/values.ts";
import { validate } from "#core/validate.ts";
import { askedFor, keepsLong, marksLong, modelsIn } from "#styles/text/asked-for.ts";
import { REQUEST } from "./fields.ts";

/** Runs on every call, so what it does not need it does not look at. */
export function readRequest(body: JsonObject): RequestFacts {
  refuseThread(body);
  const unknownValue = validate(body, REQUEST);

  return {
    model: textOf(body["model"]) ?? "",
    stream: body["stream"] === true,
    maxOutputTokens: integerOf(body["max_tokens"]),
    choices: 1,
    messages: listOf(body["messages"]).length,
    wantsUsage: true,
    ...askedIn(body),
    ...(unknownValue && { unknownValue }),
  };
}

/**
 * The newest clients leave the conversation with the server and send only
 * what is new. Told in these words that it is not kept, they send all of it.
 */
function refuseThread(body: JsonObject): void {
  if (body["thread"] === undefined || body["thread"] === null) return;
  throw new GatewayError("invalid_request", "'thread' is not supported: send all messages.", {
    param: "thread",
    details: { error_code: "thread_unsupported_request", unsupported: ["threads"] },
  });
}

/** Models that answer if the one that was called declines, or that advise it, cost what they cost. */
function askedIn(body: JsonObject): Pick<RequestFacts, "asked"> {
  const models = [...modelsIn(body["fallbacks"]), ...modelsIn(body["tools"])];
  const isLong =
    keepsLong(body["cache_control"]).keepsLong === true ||
    marksLong(body["system"]) ||
    marksLong(body["tools"]) ||
    listOf(body["messages"]).some((message) => marksLong(memberOf(message, "content")));
  const { service_tier: serviceTier, speed, inference_geo: region } = body;
  return askedFor(defined({ serviceTier, speed, region }), {
    ...(isLong ? { keepsLong: true } : {}),
    ...(models.length > 0 ? { models } : {}),
  });
}
