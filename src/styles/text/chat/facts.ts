import type { RequestFacts } from "#core/style.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { holdToRule } from "#core/hold-to-rule.ts";
import { REQUEST } from "./fields.ts";
import { integerOf, listOf, textOf } from "#lib/values.ts";
import { checkVendorMembers } from "./vendor-members.ts";

/** Runs on every call, so what it does not need it does not look at. */
export function readRequest(body: JsonObject): RequestFacts {
  holdToRule(body, REQUEST);

  checkVendorMembers(body);

  const stream = body["stream"] === true;
  return {
    model: textOf(body["model"]) ?? "",
    stream,
    maxOutputTokens: integerOf(body["max_completion_tokens"]) ?? integerOf(body["max_tokens"]),
    choices: integerOf(body["n"]) ?? 1,
    messages: listOf(body["messages"]).length,
    wantsUsage: wantsUsage(body),
    ...(isObject(body["tool_choice"]) ? { forcesTool: true } : {}),
    ...(stream && inlinesReasoning(body) ? { mustTranslate: true } : {}),
  };
}

/** Two ways to ask for usage in the stream are in use. */
export function wantsUsage(body: JsonObject): boolean {
  const options = body["stream_options"];
  const usage = body["usage"];
  return (
    (isObject(options) && options["include_usage"] === true) ||
    (isObject(usage) && usage["include"] === true)
  );
}

/** The answer's words are to be rearranged, which no untouched bytes can do. */
export function inlinesReasoning(body: JsonObject): boolean {
  return body["svc_thinking_to_content"] === true || body["thinking_to_content"] === true;
}
