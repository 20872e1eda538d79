import { invalid } from "#core/error.ts";
import type { Address, RequestFacts } from "#core/style.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { validate } from "#core/validate.ts";
import { REQUEST } from "./fields.ts";
import { integerOf, listOf, textOf, type Mutable } from "#lib/values.ts";
import { askedFor, keepsLong } from "#styles/text/asked-for.ts";
import { checkVendorMembers } from "./vendor-members.ts";

/** Runs on every call, so what it does not need it does not look at. */
export function readRequest(body: JsonObject, address: Address = {}): RequestFacts {
  const unknownValue = validate(body, REQUEST);

  checkVendorMembers(body);
  checkToolChoice(body["tool_choice"]);

  const stream = body["stream"] === true;
  // What cannot be translated is not written anew.
  const isCompact = stream && address.compactStream === true && unknownValue === undefined;
  const { asked } = askedFor(
    { serviceTier: body["service_tier"] },
    keepsLong(body["prompt_cache_options"]),
  );
  const facts: Mutable<RequestFacts> = {
    model: textOf(body["model"]) ?? "",
    stream,
    maxOutputTokens: integerOf(body["max_completion_tokens"]) ?? integerOf(body["max_tokens"]),
    choices: integerOf(body["n"]) ?? 1,
    messages: listOf(body["messages"]).length,
    // Clients of compact streams cannot ask for usage, and expect it.
    wantsUsage: isCompact || wantsUsage(body),
  };
  if (isCompact) facts.compactStream = true;
  if (unknownValue !== undefined) facts.unknownValue = unknownValue;
  if (asked !== undefined) facts.asked = asked;
  if (isObject(body["tool_choice"])) facts.forcesTool = true;
  if (stream && inlinesReasoning(body)) facts.mustTranslate = true;
  return facts;
}

/** Two forms are in use, and each has the function's name in another place. */
function checkToolChoice(choice: Json | undefined): void {
  if (!isObject(choice) || (choice["type"] ?? "function") !== "function") return;
  if (choice["allowed_tools"] !== undefined || choice["custom"] !== undefined) return;
  if (isObject(choice["function"]) || typeof choice["name"] === "string") return;
  throw invalid("tool_choice.function.name", "'tool_choice.function.name' is required.");
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
