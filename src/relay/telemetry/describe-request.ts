import type { ChatRequest } from "#core/chat.ts";
import type { Attributes } from "#core/telemetry.ts";
import { defined } from "#lib/values.ts";
import type { Call } from "../call.ts";

/** The settings of a request under the names of the conventions; none of them is text. */
export function describeRequest({ style, body, facts }: Call): Attributes {
  // The settings are read without the conversation, which may be large.
  const settings = { ...body.json, [style.conversationField]: [] };
  return attributesOf(style.inbound.parseRequest(settings, facts));
}

/** Levels that vendors have; any other value is text of a client. */
const LEVELS: ReadonlySet<string> = new Set([
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
]);

function attributesOf(request: ChatRequest): Attributes {
  const { sampling, choices = 1, maxOutputTokens, reasoning } = request;
  const { effort = "" } = reasoning ?? {};
  return defined({
    "gen_ai.request.max_tokens": maxOutputTokens,
    "gen_ai.request.choice.count": choices === 1 ? undefined : choices,
    "gen_ai.request.seed": sampling.seed,
    "gen_ai.request.temperature": sampling.temperature,
    "gen_ai.request.top_p": sampling.topP,
    "gen_ai.request.top_k": sampling.topK,
    "gen_ai.request.frequency_penalty": sampling.frequencyPenalty,
    "gen_ai.request.presence_penalty": sampling.presencePenalty,
    "gen_ai.request.reasoning.level": LEVELS.has(effort) ? effort : undefined,
    "gen_ai.output.type": outputTypeOf(request),
  });
}

/** Undefined if the request names none. */
function outputTypeOf({ format, modalities = [] }: ChatRequest): string | undefined {
  if (modalities.includes("image")) return "image";
  if (modalities.includes("audio")) return "speech";
  if (format === undefined) return undefined;
  return format.type === "text" ? "text" : "json";
}
