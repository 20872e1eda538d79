import type { ModelTraits, ThinkingType } from "#core/model.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { buildError } from "#styles/text/messages/error.ts";
import type { ModelListStyle, Page, ShownModel } from "./model-list.ts";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;

/**
 * Pages run by id: `after_id` or `before_id`, at most `limit` of them. The
 * members of a model are those of @anthropic-ai/sdk 1.12.0 (2026-11-23).
 */
export const messagesModelList: ModelListStyle = {
  id: "messages",
  list(models, { query, now }) {
    const limit = clamp(Number(query.get("limit") ?? DEFAULT_LIMIT));
    const { page, hasMore } = cut(models, query, limit);
    return {
      data: page.map((model) => one(model, now)),
      has_more: hasMore,
      first_id: page.at(0)?.id ?? null,
      last_id: page.at(-1)?.id ?? null,
    };
  },
  one,
  buildError,
};

function one({ id, createdAt, traits }: ShownModel, now: number): JsonObject {
  const { contextTokens = null, maxOutputTokens = null, line = null } = traits;
  return {
    type: "model",
    id,
    display_name: id,
    // Clients require a date; the Unix epoch stands for an unknown one.
    created_at: dated(createdAt ?? 0),
    lifecycle: lifecycleOf(traits, now),
    line,
    deprecated_at: traits.deprecatedAt === undefined ? null : dated(traits.deprecatedAt),
    retires_at: traits.retiresAt === undefined ? null : dated(traits.retiresAt),
    max_input_tokens: contextTokens,
    max_tokens: maxOutputTokens,
    capabilities: capabilitiesOf(traits),
  };
}

function dated(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toISOString().replace(".000Z", "Z");
}

function lifecycleOf({ deprecatedAt, retiresAt }: ModelTraits, now: number): string {
  if (retiresAt !== undefined && retiresAt * 1_000 <= now) return "retired";
  return retiresAt === undefined && deprecatedAt === undefined ? "active" : "deprecated";
}

/** Capabilities that only the style's vendors have; null for an unknown model. */
function capabilitiesOf(traits: ModelTraits): JsonObject | null {
  const { kind, input = [], line, rules, reasoningControls } = traits;
  if (kind !== "chat") return null;
  const isVendors = line !== undefined;
  const types = typesOf(traits);
  const { efforts = [] } = reasoningControls ?? {};
  return {
    batch: supported(false),
    citations: supported(isVendors),
    code_execution: supported(isVendors),
    context_management: {
      ...supported(isVendors),
      clear_thinking_20251015: supported(isVendors && types.length > 0),
      clear_tool_uses_20250919: supported(isVendors),
      compact_20260112: supported(isVendors && types.includes("adaptive")),
    },
    effort: {
      ...supported(efforts.length > 0),
      ...Object.fromEntries(EFFORTS.map((each) => [each, supported(efforts.includes(each))])),
    },
    image_input: supported(input.includes("image")),
    pdf_input: supported(input.includes("file")),
    server_tools: {
      ...supported(isVendors),
      code_execution: supported(isVendors),
      web_search: supported(isVendors),
    },
    structured_outputs: supported(rules?.formats?.includes("json_schema") !== false),
    thinking: {
      ...supported(reasoningControls !== undefined),
      types: Object.fromEntries(TYPES.map((each) => [each, supported(types.includes(each))])),
    },
  };
}

const EFFORTS = ["low", "medium", "high", "xhigh", "max"];
const TYPES: readonly ThinkingType[] = ["adaptive", "between_tools", "disabled", "enabled"];
/** Values that requests for models of other styles may use; they are translated. */
const TRANSLATED: readonly ThinkingType[] = ["adaptive", "disabled", "enabled"];

function typesOf({ rules, reasoningControls }: ModelTraits): readonly ThinkingType[] {
  if (reasoningControls === undefined) return [];
  return rules?.thinking ?? TRANSLATED;
}

function supported(isSupported: boolean): Record<string, Json> {
  return { supported: isSupported };
}

function cut(
  models: readonly ShownModel[],
  query: Page["query"],
  limit: number,
): { page: readonly ShownModel[]; hasMore: boolean } {
  const before = models.findIndex((each) => each.id === query.get("before_id"));
  if (before >= 0) {
    return { page: models.slice(Math.max(0, before - limit), before), hasMore: before > limit };
  }
  const start = models.findIndex((each) => each.id === query.get("after_id")) + 1;
  return { page: models.slice(start, start + limit), hasMore: start + limit < models.length };
}

function clamp(limit: number): number {
  return Number.isInteger(limit) && limit >= 1 ? Math.min(limit, MAX_LIMIT) : DEFAULT_LIMIT;
}
