import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { randomBase62 } from "#lib/ids.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { memberOf, objectOf, textOf } from "#lib/values.ts";
import { declarationOf } from "../conversation/declared-tools.ts";
import { RESPONSES, rawFieldsOf } from "../raw-fields.ts";
import { buildTool } from "../conversation/tool-out.ts";

/** The tiers that clients of this style know; another vendor's mean nothing to them. */
const TIERS = new Set(["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"]);

/** Every member that clients of this style read without asking; what the caller asked for is repeated. */
export function buildHead(
  start: Extract<ChatEvent, { type: "start" }> | undefined,
  request: ChatRequest,
): JsonObject {
  const written = rawFieldsOf(request) ?? {};
  const own = request.extra?.[RESPONSES] ?? {};
  const tier = textOf(start?.extra?.[RESPONSES]?.["service_tier"]);
  return {
    id: idOf(start),
    object: "response",
    created_at: Math.floor((start?.createdAt ?? 0) / 1_000),
    completed_at: null,
    status: "in_progress",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: written["instructions"] ?? null,
    max_output_tokens: request.maxOutputTokens ?? null,
    max_tool_calls: own["max_tool_calls"] ?? null,
    model: start === undefined || start.model === "" ? request.model : start.model,
    output: [],
    parallel_tool_calls: request.parallelToolCalls ?? true,
    frequency_penalty: request.sampling.frequencyPenalty ?? 0,
    presence_penalty: request.sampling.presencePenalty ?? 0,
    previous_response_id: own["previous_response_id"] ?? written["previous_response_id"] ?? null,
    prompt_cache_key: own["prompt_cache_key"] ?? null,
    reasoning: {
      effort: request.reasoning?.effort ?? null,
      summary: summaryOf(written["reasoning"]),
    },
    safety_identifier: written["safety_identifier"] ?? null,
    service_tier: tier !== undefined && TIERS.has(tier) ? tier : "default",
    store: written["store"] ?? true,
    temperature: request.sampling.temperature ?? 1,
    text: { format: { type: "text" }, ...objectOf(written["text"]) },
    tool_choice: written["tool_choice"] ?? "auto",
    tools: toolsOf(request),
    top_logprobs: written["top_logprobs"] ?? 0,
    top_p: request.sampling.topP ?? 0.98,
    truncation: written["truncation"] ?? "disabled",
    usage: null,
    user: written["user"] ?? null,
    metadata: request.metadata ?? {},
  };
}

function idOf(start: Extract<ChatEvent, { type: "start" }> | undefined): string {
  const id = start?.id ?? "";
  if (id === "") return `resp_${randomBase62(24)}`;
  return id.startsWith("resp_") ? id : `resp_${id}`;
}

/** The style's first vendor has no word for none. */
function summaryOf(reasoning: Json | undefined): Json {
  const summary = memberOf(reasoning, "summary") ?? memberOf(reasoning, "generate_summary");
  return summary === undefined || summary === "none" ? null : summary;
}

function toolsOf(request: ChatRequest): readonly Json[] {
  const written = rawFieldsOf(request)?.["tools"];
  if (!Array.isArray(written)) {
    const plain = (request.tools ?? []).filter((tool) => declarationOf(tool) === undefined);
    return plain.map(buildTool);
  }
  return written.map((tool: Json) =>
    memberOf(tool, "type") === "function"
      ? { description: null, parameters: null, strict: null, ...objectOf(tool) }
      : tool,
  );
}
