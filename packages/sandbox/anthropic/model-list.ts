import type { JsonObject } from "../json.ts";
import { invalid, notFound } from "./error.ts";
import { findModel, MODELS, type Model } from "./models.ts";

/** One page of the models: `limit`, and the id before or after which it lies. */
export function listModels(query: URLSearchParams): JsonObject {
  const limit = readLimit(query.get("limit"));
  const after = query.get("after_id");
  const before = query.get("before_id");
  if (after !== null && before !== null)
    throw invalid("", "Only one of `before_id` and `after_id` may be given.");

  const end = before === null ? MODELS.length : indexOf(before, "before_id");
  const start = after === null ? 0 : indexOf(after, "after_id") + 1;
  // Pages before an id are those next to it.
  const page =
    before === null
      ? MODELS.slice(start, start + limit)
      : MODELS.slice(Math.max(0, end - limit), end);
  const hasMore = before === null ? start + limit < MODELS.length : end > limit;
  return {
    data: page.map(modelBody),
    has_more: hasMore,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

export function getModel(id: string): JsonObject {
  const model = findModel(id);
  if (model === undefined) throw notFound(`model: ${id}`);
  return modelBody(model);
}

function readLimit(text: string | null): number {
  if (text === null) return 20;
  const limit = Number(text);
  if (!Number.isInteger(limit)) throw invalid("limit", "Input should be a valid integer");
  if (limit < 1) throw invalid("limit", "Input should be greater than or equal to 1");
  if (limit > 1_000) throw invalid("limit", "Input should be less than or equal to 1000");
  return limit;
}

function indexOf(id: string, name: string): number {
  const index = MODELS.findIndex((model) => model.id === id);
  if (index < 0) throw invalid(name, `"${id}" is not a model.`);
  return index;
}

function modelBody(model: Model): JsonObject {
  return {
    type: "model",
    id: model.id,
    display_name: model.name,
    created_at: `${model.createdOn}T00:00:00Z`,
    lifecycle: model.retiresOn === undefined ? "active" : "deprecated",
    line: model.line,
    deprecated_at: null,
    retires_at: model.retiresOn === undefined ? null : `${model.retiresOn}T00:00:00Z`,
    max_input_tokens: model.longContextTokens,
    max_tokens: model.maxOutputTokens,
    capabilities: capabilities(model),
  };
}

function capabilities(model: Model): JsonObject {
  const isLate = model.thinking.includes("adaptive");
  const hasEdits = model.thinking.length > 0;
  return {
    batch: supported(true),
    citations: supported(true),
    code_execution: supported(model.hasCodeExecution),
    context_management: {
      ...supported(hasEdits),
      clear_tool_uses_20250919: supported(hasEdits),
      clear_thinking_20251015: supported(hasEdits),
      compact_20260112: supported(isLate),
    },
    effort: {
      ...supported(model.efforts.length > 0),
      ...Object.fromEntries(
        (["low", "medium", "high", "xhigh", "max"] as const).map((effort) => [
          effort,
          supported(model.efforts.includes(effort)),
        ]),
      ),
    },
    image_input: supported(true),
    pdf_input: supported(true),
    server_tools: {
      ...supported(true),
      code_execution: supported(model.hasCodeExecution),
      web_search: supported(true),
    },
    structured_outputs: supported(model.hasStructuredOutput),
    thinking: {
      ...supported(model.thinking.length > 0),
      types: {
        adaptive: supported(isLate),
        between_tools: supported(model.thinking.includes("between_tools")),
        disabled: supported(model.disables !== "never"),
        enabled: supported(model.thinking.includes("enabled")),
      },
    },
  };
}

function supported(isSupported: boolean): JsonObject {
  return { supported: isSupported };
}
