import type { AnswerContext } from "#core/style.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { buildHead } from "./head.ts";
import { parseRequest } from "../request/request-in.ts";

/**
 * Members of a response object that clients read without asking, and that
 * compatible servers leave out or set to null. Undefined for a whole response
 * object, which passes as it came, and if there is nothing to complete it from.
 */
export function missingMembers(
  response: JsonObject,
  context: AnswerContext | undefined,
): JsonObject | undefined {
  if (context === undefined) return undefined;
  const usage = missingOfUsage(response["usage"]);
  if (usage === undefined && !isIncomplete(response)) return undefined;
  const found: Record<string, Json> = usage === undefined ? {} : { usage };
  const echoed = echoOf(context);
  for (const name of REQUIRED) {
    const value = response[name];
    if (value !== undefined && (value !== null || NULLABLE.has(name))) continue;
    found[name] = name === "completed_at" ? completedAt(response, context) : (echoed[name] ?? null);
  }
  return found;
}

/** Members in which the answer repeats the request, or says how it ended. */
const REQUIRED = [
  "completed_at",
  "background",
  "error",
  "frequency_penalty",
  "incomplete_details",
  "instructions",
  "max_output_tokens",
  "max_tool_calls",
  "metadata",
  "parallel_tool_calls",
  "presence_penalty",
  "previous_response_id",
  "prompt_cache_key",
  "reasoning",
  "safety_identifier",
  "service_tier",
  "store",
  "temperature",
  "text",
  "tool_choice",
  "tools",
  "top_logprobs",
  "top_p",
  "truncation",
  "usage",
  "user",
] as const;

const NULLABLE: ReadonlySet<string> = new Set([
  "completed_at",
  "error",
  "incomplete_details",
  "instructions",
  "max_output_tokens",
  "max_tool_calls",
  "previous_response_id",
  "prompt_cache_key",
  "reasoning",
  "safety_identifier",
  "usage",
  "user",
]);

function isIncomplete(response: JsonObject): boolean {
  return REQUIRED.some((name) => {
    const value = response[name];
    return value === undefined || (value === null && !NULLABLE.has(name));
  });
}

/** What the caller asked for, as a response of this style repeats it. The conversation is not needed for it. */
function echoOf({ request }: AnswerContext): JsonObject {
  return buildHead(undefined, parseRequest({ ...request, input: "" }));
}

/** In Unix seconds. What did not end as it should was not completed. */
function completedAt({ status }: JsonObject, context: AnswerContext): Json {
  return status === "completed" ? Math.floor(context.now() / 1_000) : null;
}

/** Some servers count no cached and no reasoning tokens, and say nothing of them. */
function missingOfUsage(usage: Json | undefined): JsonObject | undefined {
  if (!isObject(usage)) return undefined;
  const { input_tokens_details: heard, output_tokens_details: said } = usage;
  const isWhole =
    isObject(heard) &&
    typeof heard["cached_tokens"] === "number" &&
    isObject(said) &&
    typeof said["reasoning_tokens"] === "number";
  if (isWhole) return undefined;
  return {
    ...usage,
    input_tokens_details: { cached_tokens: 0, ...filled(heard) },
    output_tokens_details: { reasoning_tokens: 0, ...filled(said) },
  };
}

function filled(details: Json | undefined): JsonObject {
  if (!isObject(details)) return {};
  return Object.fromEntries(Object.entries(details).filter(([, count]) => count !== null));
}
