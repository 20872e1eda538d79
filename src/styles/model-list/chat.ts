import { formatDecimal } from "#lib/decimal.ts";
import type { Modality, ModelTraits, TuningSetting } from "#core/model.ts";
import type { Price, Rates } from "#core/money.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { buildError } from "#styles/text/chat/error.ts";
import type { ModelListStyle, ShownModel } from "./model-list.ts";

/**
 * The four members of the format, and those that clients of OpenRouter's list read: limits, prices,
 * modalities and parameters. Its types are those of
 * @openrouter/sdk 1.3.19 (2026-11-23). Unknown facts are left out, or null if those types require
 * the member. `type` and `capabilities` are of
 * @mistralai/mistralai 2.7.0, which drops a model without them.
 */
export const chatModelList: ModelListStyle = {
  id: "chat",
  list: (models) => ({ object: "list", data: models.map(one) }),
  one,
  buildError,
};

function one({ id, owner, createdAt, traits, price }: ShownModel): JsonObject {
  const { contextTokens = null, maxOutputTokens = null } = traits;
  return {
    id,
    object: "model",
    ...defined({ created: createdAt }),
    owned_by: owner,
    canonical_slug: id,
    name: id,
    context_length: contextTokens,
    architecture: architectureOf(traits),
    ...defined({ pricing: price && pricingOf(price) }),
    top_provider: {
      context_length: contextTokens,
      max_completion_tokens: maxOutputTokens,
      is_moderated: false,
    },
    per_request_limits: null,
    supported_parameters: parametersOf(traits),
    default_parameters: null,
    ...defined({ expiration_date: dayOf(traits.retiresAt) }),
    type: "base",
    capabilities: capabilitiesOf(traits),
  };
}

/** The day on which the model is retired. */
function dayOf(retiresAt: number | undefined): string | undefined {
  return retiresAt === undefined
    ? undefined
    : new Date(retiresAt * 1_000).toISOString().slice(0, 10);
}

function capabilitiesOf({ kind, tools, input, reasoningControls }: ModelTraits): JsonObject {
  const isChat = kind === undefined || kind === "chat";
  return {
    completion_chat: isChat,
    function_calling: isChat && tools !== false,
    vision: isChat && input?.includes("image") === true,
    reasoning: reasoningControls !== undefined,
  };
}

const IN_AND_OUT: ReadonlySet<Modality> = new Set(["text", "image", "file", "audio", "video"]);

function architectureOf({ input = [], output = [] }: ModelTraits): JsonObject {
  const isKnown = input.length > 0 && output.length > 0;
  return {
    modality: isKnown ? `${input.join("+")}->${output.join("+")}` : null,
    input_modalities: input.filter((each) => IN_AND_OUT.has(each)),
    output_modalities: output.filter((each) => IN_AND_OUT.has(each)),
    tokenizer: "Other",
    instruct_type: null,
  };
}

const PRICED_AS: Readonly<Partial<Record<keyof Rates, string>>> = {
  input: "prompt",
  output: "completion",
  cachedInput: "input_cache_read",
  cacheWrite: "input_cache_write",
  longCacheWrite: "input_cache_write_1h",
  audioInput: "audio",
  audioOutput: "audio_output",
  imageInput: "image_token",
  imageOutput: "image_output",
  search: "web_search",
};

const PICO_DECIMALS = 12;

/** Dollars per token, or per unit if not priced by tokens, as decimal strings. */
function pricingOf(price: Price): JsonObject {
  const written = Object.entries(PRICED_AS).flatMap(([rate, name]): [string, Json][] => {
    const amount = price[rate as keyof Rates];
    return amount === undefined ? [] : [[name, formatDecimal(amount, PICO_DECIMALS)]];
  });
  return { ...Object.fromEntries(written), request: "0" };
}

/** Names in the list; a model may refuse some of them. */
const TUNING: Readonly<Record<TuningSetting, readonly string[]>> = {
  temperature: ["temperature"],
  top_p: ["top_p"],
  top_k: ["top_k"],
  presence_penalty: ["presence_penalty"],
  frequency_penalty: ["frequency_penalty"],
  seed: ["seed"],
  logprobs: ["logprobs", "top_logprobs"],
  logit_bias: ["logit_bias"],
  stop: ["stop"],
  n: [],
};

function parametersOf({ kind, rules, tools, reasoningControls }: ModelTraits): readonly string[] {
  if (kind !== undefined && kind !== "chat") return [];
  const refused: ReadonlySet<string> = new Set(rules?.refuses);
  const tuning = Object.entries(TUNING).flatMap(([name, names]) =>
    refused.has(name) ? [] : names,
  );
  return [
    "max_tokens",
    ...tuning,
    ...(tools === false ? [] : ["tools", "tool_choice", "parallel_tool_calls"]),
    "response_format",
    ...(rules?.formats?.includes("json_schema") === false ? [] : ["structured_outputs"]),
    ...(reasoningControls === undefined ? [] : ["reasoning", "include_reasoning"]),
  ];
}
