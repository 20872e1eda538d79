import { GatewayError } from "#core/error.ts";
import type { RequestFacts } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { integerOf, listOf, textOf } from "#lib/values.ts";
import { holdToRule } from "#core/hold-to-rule.ts";
import { REQUEST } from "./fields.ts";

/** Runs on every call, so what it does not need it does not look at. */
export function readRequest(body: JsonObject): RequestFacts {
  refuseThread(body);
  const unknownValue = holdToRule(body, REQUEST);

  return {
    model: textOf(body["model"]) ?? "",
    stream: body["stream"] === true,
    maxOutputTokens: integerOf(body["max_tokens"]),
    choices: 1,
    messages: listOf(body["messages"]).length,
    wantsUsage: true,
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
