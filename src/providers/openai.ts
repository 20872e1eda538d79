import type { EmbeddingDialect } from "#styles/embedding/openai/dialect.ts";
import { embeddings } from "#styles/embedding/openai/index.ts";
import { inDialect, type ChatDialect } from "#styles/text/chat/request/dialect.ts";
import { chat } from "#styles/text/chat/index.ts";
import type { ResponsesDialect } from "#styles/text/responses/request/fit-reasoner.ts";
import { responses } from "#styles/text/responses/index.ts";
import { AUDIO, COMPACTIONS, MODERATIONS } from "./shared-endpoints.ts";
import { OPENAI_IMAGES } from "./openai-images.ts";
import { OPENAI_VIDEOS } from "./openai-videos.ts";
import { bearer, type EmbeddingEndpoint, type Provider } from "./provider.ts";

/** The members in its API reference; a request with any other member gets a 400. */
const CHAT_MEMBERS = [
  "model",
  "messages",
  "stream",
  "stream_options",
  "temperature",
  "top_p",
  "max_tokens",
  "max_completion_tokens",
  "stop",
  "n",
  "seed",
  "presence_penalty",
  "frequency_penalty",
  "logit_bias",
  "logprobs",
  "top_logprobs",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "functions",
  "function_call",
  "response_format",
  "reasoning_effort",
  "verbosity",
  "modalities",
  "audio",
  "prediction",
  "web_search_options",
  "service_tier",
  "store",
  "metadata",
  "moderation",
  "user",
  "safety_identifier",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
] as const;

const RESPONSES_MEMBERS = [
  "model",
  "input",
  "instructions",
  "stream",
  "stream_options",
  "temperature",
  "top_p",
  "top_logprobs",
  "max_output_tokens",
  "max_tool_calls",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "text",
  "reasoning",
  "include",
  "store",
  "previous_response_id",
  "conversation",
  "prompt",
  "truncation",
  "background",
  "context_management",
  "access_programs",
  "image",
  "moderation",
  "service_tier",
  "metadata",
  "client_metadata",
  "user",
  "safety_identifier",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
] as const;

/**
 * Reasoning models refuse most sampling parameters, and accept the newer limit only. Free-text
 * tools exist only at this vendor.
 */
export const OPENAI_DIALECT: ChatDialect = {
  knows: new Set<string>(CHAT_MEMBERS),
  maxCompletionTokens: true,
  reasoning: "effort",
  jsonHint: true,
  verbosity: true,
  serviceTiers: ["auto", "default", "flex", "scale", "priority", "fast"],
  maxStops: 4,
  parts: ["text", "image_url", "input_audio", "file", "refusal"],
  reasonersRefuse: [
    "max_tokens",
    "temperature",
    "top_p",
    "presence_penalty",
    "frequency_penalty",
    "logprobs",
    "top_logprobs",
    "logit_bias",
    "stop",
  ],
  cacheBreakpoints: true,
  webSearch: { as: "options", models: /-search/ },
  customTools: true,
};

/** The same for Responses. */
export const OPENAI_RESPONSES: ResponsesDialect = {
  knows: new Set<string>(RESPONSES_MEMBERS),
  cacheBreakpoints: true,
  minOutputTokens: 16,
  reasonersRefuse: ["temperature", "top_p", "top_logprobs"],
  jsonHint: true,
  serviceTiers: ["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"],
};

const EMBEDDING_DIALECT: Partial<EmbeddingDialect> = {
  encoding: "base64",
  takesTokens: true,
  takesUser: true,
};

export const OPENAI_EMBEDDINGS: EmbeddingEndpoint = {
  style: embeddings,
  path: "/embeddings",
  maxInputs: 2_048,
  dialect: { ...EMBEDDING_DIALECT },
};

/** The vendor's default for a request without a model. */
export const USUAL_MODERATOR = "omni-moderation-latest";

export const openai: Provider = {
  id: "openai",
  name: "OpenAI",
  docs: "https://platform.openai.com/docs/api-reference/chat",
  baseUrl: "https://api.openai.com/v1",
  keyVariable: "OPENAI_API_KEY",
  needsKey: true,
  text: [
    {
      style: chat,
      path: "/chat/completions",
      isFaithful: true,
      inlines: ["audio", "file"],
      ...inDialect(OPENAI_DIALECT),
    },
    {
      style: responses,
      path: "/responses",
      isFaithful: true,
      dialect: { ...OPENAI_RESPONSES },
    },
  ],
  embeddings: [OPENAI_EMBEDDINGS],
  shared: [...AUDIO, MODERATIONS, COMPACTIONS],
  images: OPENAI_IMAGES,
  videos: OPENAI_VIDEOS,
  modelsPath: "/models",
  authorize: bearer,
  regionOf: ({ baseUrl }) => REGIONAL.exec(baseUrl)?.[1],
};

/** Addresses with processing in one region: `https://eu.api.openai.com/v1`. */
const REGIONAL = /^https:\/\/([a-z]{2})\.api\.openai\.com(?:[:/]|$)/;
