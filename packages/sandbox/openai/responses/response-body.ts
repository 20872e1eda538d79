import { reportedUsage } from "@sluice/sandbox/faults/usage-faults.ts";
import type { Json, JsonObject } from "@sluice/sandbox/json.ts";
import type { Totals } from "../usage.ts";
import type { Turn } from "./turn.ts";

export interface ResponseState {
  readonly status: "queued" | "in_progress" | "completed" | "incomplete" | "failed" | "cancelled";
  readonly output: readonly Json[];
  readonly incompleteReason?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

/** The whole response as it stands, with every setting repeated. */
export function responseBody(turn: Turn, state: ResponseState): JsonObject {
  const { request, faults } = turn;
  const { body } = request;
  const isOver = state.status === "completed" || state.status === "incomplete";
  const usage =
    isOver || faults.dupusage
      ? reportedUsage(responseUsage(turn.meter.totals()), faults)
      : undefined;
  return {
    id: turn.id,
    object: "response",
    created_at: turn.createdAt,
    status: state.status,
    background: request.isBackground,
    billing: { payer: "developer" },
    completed_at: state.status === "completed" ? Math.floor(turn.now() / 1_000) : null,
    error: state.error === undefined ? null : { ...state.error },
    frequency_penalty: 0,
    incomplete_details:
      state.incompleteReason === undefined ? null : { reason: state.incompleteReason },
    instructions: body["instructions"] ?? null,
    max_output_tokens: body["max_output_tokens"] ?? null,
    max_tool_calls: body["max_tool_calls"] ?? null,
    model: request.model.snapshot,
    moderation: null,
    output: state.output,
    parallel_tool_calls: request.mayCallInParallel,
    presence_penalty: 0,
    previous_response_id: body["previous_response_id"] ?? null,
    prompt_cache_key: body["prompt_cache_key"] ?? null,
    ...(request.caching === undefined
      ? {}
      : { prompt_cache_options: { mode: request.caching.mode, ttl: request.caching.ttl } }),
    prompt_cache_retention: body["prompt_cache_retention"] ?? null,
    reasoning: request.reasoning.echo,
    safety_identifier: body["safety_identifier"] ?? null,
    service_tier: isOver ? request.serviceTier : (body["service_tier"] ?? "auto"),
    store: request.isStored,
    temperature: body["temperature"] ?? 1,
    text: request.text.echo,
    tool_choice: request.chosen.echo,
    tool_usage: toolUsage(request.search === undefined ? 0 : 1),
    tools: request.offer.echo,
    top_logprobs: body["top_logprobs"] ?? 0,
    top_p: body["top_p"] ?? 1,
    truncation: body["truncation"] ?? "disabled",
    usage: usage ?? null,
    user: body["user"] ?? null,
    metadata: body["metadata"] ?? {},
  };
}

export function responseUsage({ prompt, cached, written, output, reasoning }: Totals): JsonObject {
  return {
    input_tokens: prompt.total,
    input_tokens_details: { ...cacheWrites(written), cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: prompt.total + output,
  };
}

function cacheWrites(written: Totals["written"]): JsonObject {
  if (written === undefined) return { cache_write_tokens: 0 };
  return {
    cache_write_tokens: written["30m"] + written["12h"],
    cache_write_tokens_details: { ttl_30m_tokens: written["30m"], ttl_12h_tokens: written["12h"] },
  };
}

function toolUsage(searches: number): JsonObject {
  const details = { image_tokens: 0, text_tokens: 0 };
  return {
    image_gen: {
      input_tokens: 0,
      input_tokens_details: details,
      output_tokens: 0,
      output_tokens_details: details,
      total_tokens: 0,
    },
    web_search: { num_requests: searches },
  };
}
