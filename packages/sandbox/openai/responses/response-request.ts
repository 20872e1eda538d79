import { asksForSearch, searchWeb, type WebSearch } from "@sluice/sandbox/engine/web-search.ts";
import { withoutMagicWords } from "@sluice/sandbox/faults/magic-words.ts";
import { isJsonObject, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import { invalid } from "../error.ts";
import {
  field,
  readBoolean,
  readChoice,
  readInteger,
  readList,
  readNumber,
  readObject,
  readText,
  required,
} from "../fields.ts";
import type { Model } from "../models.ts";
import { readPromptCaching, type PromptCaching } from "../prompt-caching.ts";
import type { PromptTokens } from "../prompt-tokens.ts";
import type { SentRequest } from "../question.ts";
import { checkMetadata, readServiceTier } from "../request.ts";
import { fitContext, readContext } from "./context.ts";
import { messagesOf, type Entry } from "./entry.ts";
import type { ItemReaders } from "./input-items.ts";
import { readModel } from "./model-rules.ts";
import { readReasoning, type ReasoningSettings } from "./reasoning-request.ts";
import { checkJsonWord, readTextSettings, type TextSettings } from "./text-format.ts";
import { readToolChoice, type ChosenTool } from "./tool-choice.ts";
import { readToolOffer, type ToolOffer } from "./tool-request.ts";
import { refuseUnknown } from "../unknown-parameters.ts";

/** A request that the vendor would accept. */
export interface ResponseRequest extends SentRequest {
  readonly body: JsonObject;
  readonly model: Model;
  readonly owner: string;
  /** What the model is given, instructions excepted. */
  readonly input: readonly Entry[];
  readonly prompt: PromptTokens;
  readonly caching: PromptCaching | undefined;
  readonly offer: ToolOffer;
  readonly chosen: ChosenTool;
  readonly text: TextSettings;
  readonly reasoning: ReasoningSettings;
  readonly include: readonly string[];
  readonly logprobs: number | undefined;
  readonly search: WebSearch | undefined;
  readonly isStream: boolean;
  readonly includeObfuscation: boolean;
  readonly isStored: boolean;
  readonly isBackground: boolean;
  readonly serviceTier: string;
}

/** Throws the error that the vendor would answer with. */
export function readResponseRequest(json: Json | undefined, readers: ItemReaders): ResponseRequest {
  const body = readBody(json);
  refuseUnknown(body, KNOWN);
  const model = readModel(body);
  const reasoning = readReasoning(body, model);
  const include = readInclude(body, model);
  const context = readContext(body, readers);
  const offer = readToolOffer(body);
  const chosen = readToolChoice(body, offer);
  const text = readTextSettings(body);
  checkTuning(body);

  const { input, messages, prompt } = fitContext(context, body, model);
  checkJsonWord(text, messages);
  return {
    body,
    model,
    owner: readers.owner,
    input,
    messages,
    prompt,
    caching: readPromptCaching(body, model, "responses"),
    offer,
    chosen,
    text,
    reasoning,
    include,
    logprobs: readLogprobs(body, include),
    search: readSearch(offer, chosen, context),
    tools: offer.tools,
    toolChoice: chosen.choice,
    mayCallInParallel: readBoolean(field(body, "parallel_tool_calls")) ?? true,
    format: text.format,
    thinking: { effort: reasoning.effort },
    maxTokens: readInteger(field(body, "max_output_tokens"), 16, 2 ** 31),
    stop: [],
    ...readStream(body),
    isStored: readBoolean(field(body, "store")) ?? true,
    isBackground: readBoolean(field(body, "background")) ?? false,
    serviceTier: readServiceTier(body),
  };
}

export function readBody(json: Json | undefined): JsonObject {
  if (json === undefined)
    throw invalid(null, null, "The JSON body of the request could not be parsed.");
  if (!isJsonObject(json))
    throw invalid(null, null, "The body of the request must be a JSON object.");
  return json;
}

const KNOWN: readonly string[] = [
  "access_programs",
  "background",
  "client_metadata",
  "context_management",
  "conversation",
  "image",
  "include",
  "input",
  "instructions",
  "max_output_tokens",
  "max_tool_calls",
  "metadata",
  "model",
  "moderation",
  "parallel_tool_calls",
  "previous_response_id",
  "prompt",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "reasoning",
  "safety_identifier",
  "service_tier",
  "store",
  "stream",
  "stream_options",
  "temperature",
  "text",
  "tool_choice",
  "tools",
  "top_logprobs",
  "top_p",
  "truncation",
  "user",
];

function readInclude(body: JsonObject, model: Model): readonly string[] {
  const list = readList(field(body, "include"), 0, 100) ?? [];
  const include = list.map((value, index) => {
    const path = `include[${index}]`;
    return required({ path, value }, readChoice({ path, value }, INCLUDABLE));
  });
  if (include.includes("reasoning.encrypted_content") && model.thinks === "never")
    throw invalid("include", null, "Encrypted content is not supported with this model.");
  return include;
}

const INCLUDABLE = [
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
  "code_interpreter_call.outputs",
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
] as const;

function checkTuning(body: JsonObject): void {
  readNumber(field(body, "temperature"), 0, 2);
  readNumber(field(body, "top_p"), 0, 1);
  readInteger(field(body, "max_tool_calls"), 1, 2 ** 31);
  readText(field(body, "user"));
  readText(field(body, "safety_identifier"), 128);
  readText(field(body, "prompt_cache_key"));
  readChoice(field(body, "prompt_cache_retention"), ["in_memory", "24h"]);
  checkMetadata(body);
}

function readLogprobs(body: JsonObject, include: readonly string[]): number | undefined {
  const top = readInteger(field(body, "top_logprobs"), 0, 20) ?? 0;
  return include.includes("message.output_text.logprobs") || top > 0 ? top : undefined;
}

function readStream(body: JsonObject) {
  const isStream = readBoolean(field(body, "stream")) ?? false;
  const options = readObject(field(body, "stream_options"));
  if (options !== undefined && !isStream) {
    throw invalid(
      "stream_options",
      null,
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    );
  }
  const asked = readBoolean(
    field(options ?? {}, "include_obfuscation", "stream_options.include_obfuscation"),
  );
  return { isStream, includeObfuscation: asked ?? true };
}

function readSearch(
  { hosted }: ToolOffer,
  { choice, echo, mustSearch }: ChosenTool,
  context: readonly Entry[],
): WebSearch | undefined {
  if (!hosted.some((type) => type.startsWith("web_search")) || echo === "none") return undefined;
  const last = messagesOf(context).at(-1);
  const text = last?.role === "user" ? withoutMagicWords(last.text) : "";
  const isForced = mustSearch === true || (echo === "required" && choice.mode === "none");
  return isForced || asksForSearch(text) ? searchWeb(text) : undefined;
}
