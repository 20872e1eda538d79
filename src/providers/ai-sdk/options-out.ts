import type { LanguageModelV3CallOptions } from "@ai-sdk/provider";
import type { ChatRequest } from "#core/chat.ts";
import type { ModelTraits } from "#core/model.ts";
import { hasPrefill } from "#styles/text/prefill.ts";
import { writeFields, type FieldOptions } from "./hub-fields.ts";
import { asksInWords, JSON_IN_WORDS } from "./json-in-words.ts";
import type { LanguageModel } from "./load.ts";
import type { Terms } from "./place.ts";
import { AI_SDK } from "./proof.ts";
import { buildPrompt } from "./prompt-out.ts";
import { reasoningOf } from "./reasoning-out.ts";

export interface CallOptions extends LanguageModelV3CallOptions {
  /** Known since the fourth version. */
  readonly reasoning?: string;
}

/** A request in the terms that all packages share, and its package's own options beside them. */
export function buildOptions(
  request: ChatRequest,
  terms: Terms,
  model: ModelTraits,
  version: LanguageModel["version"],
): CallOptions {
  const { report, traits } = terms;
  report.loseForeign(request.extra, AI_SDK);
  if (hasPrefill(request) && traits.continues !== true) report.lose("messages.prefill");
  const reasoning = reasoningOf(request, terms, model, version);
  const words = asksInWords(request.format, traits) ? JSON_IN_WORDS : [];
  const options: FieldOptions = {};
  writeFields(request, { ...terms, model, reasoning, raw: undefined }, options);
  return {
    prompt: [...words, ...buildPrompt(request.messages, terms)],
    ...options,
    ...(traits.usageBeside === undefined ? {} : { includeRawChunks: true }),
  };
}
