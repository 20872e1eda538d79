import type {
  JSONObject,
  LanguageModelV3CallOptions,
  LanguageModelV3Prompt,
} from "@ai-sdk/provider";
import type { ChatRequest, OutputFormat } from "#core/chat.ts";
import { refuse, type LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import { defined } from "#lib/values.ts";
import { hasPrefill } from "#styles/text/prefill.ts";
import { choosesSearch } from "#styles/text/search-choice.ts";
import type { LanguageModel } from "./load.ts";
import type { Terms } from "./place.ts";
import { AI_SDK } from "./proof.ts";
import { buildPrompt } from "./prompt-out.ts";
import { reasoningOf } from "./reasoning-out.ts";
import { fitSampling } from "./settings-out.ts";
import { choiceOf, onlyDeclares, toolsOf } from "./tools-out.ts";
import type { PackageTraits } from "./traits.ts";

export interface CallOptions extends LanguageModelV3CallOptions {
  /** Known since the fourth version. */
  readonly reasoning?: string;
}

/** The least that is left to say something with, beside what a model thinks. */
const MIN_SAID = 1;

/** A request in the terms that all packages share, and its package's own options beside them. */
export function buildOptions(
  request: ChatRequest,
  terms: Terms,
  model: ModelTraits,
  version: LanguageModel["version"],
): CallOptions {
  const { choices = 1, modalities = [] } = request;
  const { report, traits } = terms;
  if (choices > 1) throw refuse("n", "this upstream gives one answer.");
  if (modalities.includes("audio")) throw refuse("modalities", "this upstream does not speak.");
  report.loseForeign(request.extra, AI_SDK);
  reportLosses(request, terms);

  const tools = toolsOf(request, terms);
  const reasoning = reasoningOf(request, terms, model, version);
  const isSearch = choosesSearch(request);
  if (isSearch && tools.length > 0) report.lose("tool_choice");
  const settings = fitSampling(request, model, reasoning.spends !== undefined, report);
  const own: JSONObject = { ...reasoning.options, ...ownOptions(request, terms) };
  return {
    prompt: [...inWords(request, traits), ...buildPrompt(request.messages, terms)],
    ...defined({
      maxOutputTokens: limitOf(withinModel(request, model, report), reasoning.spends ?? 0),
      temperature: settings.temperature,
      topP: settings.topP,
      topK: settings.topK,
      presencePenalty: settings.presencePenalty,
      frequencyPenalty: settings.frequencyPenalty,
      seed: settings.seed,
      stopSequences: request.stop === undefined ? undefined : [...request.stop],
      responseFormat: asksInWords(request, traits) ? undefined : formatOf(request.format),
      tools: tools.length === 0 ? undefined : tools,
      toolChoice:
        tools.length === 0 || isSearch || onlyDeclares(request, traits)
          ? undefined
          : choiceOf(request.toolChoice),
      providerOptions: Object.keys(own).length === 0 ? undefined : { [traits.key]: own },
      reasoning: reasoning.effort,
      includeRawChunks: traits.usageBeside === undefined ? undefined : true,
    }),
  };
}

function reportLosses(request: ChatRequest, { report, traits }: Terms): void {
  if (hasPrefill(request) && traits.continues !== true) report.lose("messages.prefill");
  if (request.logprobs !== undefined) report.lose("logprobs");
  if (request.picture !== undefined) report.lose("image_config");
  if (request.webSearch !== undefined) report.lose("web_search_options");
  if (request.metadata !== undefined) report.lose("metadata");
  if (request.user !== undefined && traits.user === undefined) report.lose("user");
  if (request.parallelToolCalls === false && traits.oneCallAtATime === undefined) {
    report.lose("parallel_tool_calls");
  }
}

function ownOptions(
  { user, parallelToolCalls, tools }: ChatRequest,
  { traits }: Terms,
): JSONObject {
  return {
    ...(user === undefined ? {} : traits.user?.(user)),
    ...(parallelToolCalls === false && tools !== undefined ? traits.oneCallAtATime : {}),
  };
}

/** A limit above the model's own is refused. */
function withinModel(
  request: ChatRequest,
  { maxOutputTokens: most }: ModelTraits,
  report: LossReport,
): Pick<ChatRequest, "maxOutputTokens"> {
  if (most === undefined || (request.maxOutputTokens ?? 0) <= most) return request;
  report.lose("max_tokens");
  return { maxOutputTokens: most };
}

/** For callers it is the most of all that is generated; some packages mean what is said only. */
function limitOf(
  { maxOutputTokens }: Pick<ChatRequest, "maxOutputTokens">,
  spends: number,
): number | undefined {
  return maxOutputTokens === undefined ? undefined : Math.max(MIN_SAID, maxOutputTokens - spends);
}

function formatOf(format: OutputFormat | undefined): LanguageModelV3CallOptions["responseFormat"] {
  switch (format?.type) {
    case undefined:
    case "text":
      return undefined;
    case "json":
      return { type: "json" };
    case "json_schema": {
      const { name, description, schema } = format;
      return { type: "json", name, ...defined({ description, schema }) };
    }
  }
}

function asksInWords({ format }: ChatRequest, { asksForJson }: PackageTraits): boolean {
  const isFree =
    format?.type === "json" || (format?.type === "json_schema" && format.schema === undefined);
  return isFree && asksForJson === true;
}

function inWords(request: ChatRequest, traits: PackageTraits): LanguageModelV3Prompt {
  return asksInWords(request, traits) ? [{ role: "system", content: JSON_IN_WORDS }] : [];
}

const JSON_IN_WORDS = "Answer with one JSON object, and with nothing before or after it.";
