import type { OutputFormat, Tool, ToolChoice } from "../engine/conversation.ts";
import type { WebSearch } from "../engine/web-search.ts";
import { isJsonObject, jsonText, type Json, type JsonObject } from "../json.ts";
import type { RequestDialect, Thinking } from "./dialect.ts";
import { ApiError, invalid } from "./error.ts";
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
} from "./fields.ts";
import { readMessages, type Message } from "./messages.ts";
import type { Model } from "./models.ts";
import { readResponseFormat } from "./response-format.ts";
import { readSpeech } from "./speech-request.ts";
import { readTools } from "./tools.ts";

/** A request that the vendor would accept. */
export interface ChatRequest {
  readonly body: JsonObject;
  readonly model: Model;
  readonly messages: readonly Message[];
  readonly choices: number;
  readonly isStream: boolean;
  readonly includeUsage: boolean;
  readonly includeObfuscation: boolean;
  readonly maxTokens: number | undefined;
  readonly stop: readonly string[];
  readonly logprobs: number | undefined;
  readonly thinking: Thinking;
  readonly format: OutputFormat;
  /** Results of searches before the answer. */
  readonly search: WebSearch | undefined;
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice;
  readonly mayCallInParallel: boolean;
  /** Functions were offered in the old way, and are called in it. */
  readonly isLegacyFunctions: boolean;
  readonly speech: "wav" | "pcm16" | undefined;
  readonly prediction: string | undefined;
  readonly serviceTier: string;
  /** The raw tools, whose tokens count as input. */
  readonly toolsText: string;
}

/** Throws the error that the vendor would answer with. */
export function readChatRequest(body: Json | undefined, dialect: RequestDialect): ChatRequest {
  if (body === undefined)
    throw invalid(null, null, "The JSON body of the request could not be parsed.");
  if (!isJsonObject(body))
    throw invalid(null, null, "The body of the request must be a JSON object.");

  const model = readModel(body, dialect);
  dialect.checkSupport(body, model);
  return readPrepared(dialect.prepare(body, model), model, dialect);
}

function readPrepared(body: JsonObject, model: Model, dialect: RequestDialect): ChatRequest {
  const messages = readMessages(
    required(field(body, "messages"), readList(field(body, "messages"), 1, 10_000)),
    dialect,
  );
  const isStream = readBoolean(field(body, "stream")) ?? false;
  const stream = readStreamOptions(body, isStream);
  const tools = readTools(body);
  checkSampling(body);
  checkMetadata(body);

  return {
    body,
    model,
    messages,
    choices: readInteger(field(body, "n"), 1, 128) ?? 1,
    isStream,
    ...stream,
    maxTokens:
      readInteger(field(body, "max_completion_tokens"), 1, 2 ** 31) ??
      readInteger(field(body, "max_tokens"), 1, 2 ** 31),
    stop: readStop(body, dialect),
    logprobs: readLogprobs(body),
    thinking: dialect.readThinking(body, model),
    format: readResponseFormat(body, messages, dialect),
    search: dialect.readSearch(body, messages),
    ...tools,
    speech: readSpeech(body, model, isStream),
    prediction: readPrediction(body),
    serviceTier: readServiceTier(body),
    toolsText: JSON.stringify(body["tools"] ?? body["functions"] ?? []),
  };
}

function readModel(body: JsonObject, { findModel }: Pick<RequestDialect, "findModel">): Model {
  const id = readText(field(body, "model"));
  if (id === undefined || id === "")
    throw invalid(null, null, "You must provide a model parameter.");
  const model = findModel(id);
  if (model === undefined) {
    throw new ApiError(404, {
      message: `The model \`${id}\` does not exist or you do not have access to it.`,
      code: "model_not_found",
    });
  }
  return model;
}

function readStreamOptions(body: JsonObject, isStream: boolean) {
  const options = readObject(field(body, "stream_options"));
  if (options !== undefined && !isStream) {
    throw invalid(
      "stream_options",
      null,
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    );
  }
  const at = (name: string) => readBoolean(field(options ?? {}, name, `stream_options.${name}`));
  return {
    includeUsage: at("include_usage") ?? false,
    includeObfuscation: at("include_obfuscation") ?? true,
  };
}

function checkSampling(body: JsonObject): void {
  readNumber(field(body, "temperature"), 0, 2);
  readNumber(field(body, "top_p"), 0, 1);
  readNumber(field(body, "presence_penalty"), -2, 2);
  readNumber(field(body, "frequency_penalty"), -2, 2);
  readInteger(field(body, "seed"), -(2 ** 63), 2 ** 63);
  readChoice(field(body, "verbosity"), ["low", "medium", "high"]);
  readText(field(body, "user"));
  readText(field(body, "safety_identifier"), 128);
  readBoolean(field(body, "store"));
  for (const [token, bias] of Object.entries(readObject(field(body, "logit_bias")) ?? {})) {
    readNumber({ path: `logit_bias.${token}`, value: bias }, -100, 100);
  }
  const search = readObject(field(body, "web_search_options")) ?? {};
  readChoice(field(search, "search_context_size", "web_search_options.search_context_size"), [
    "low",
    "medium",
    "high",
  ]);
}

export function checkMetadata(body: JsonObject): void {
  const pairs = Object.entries(readObject(field(body, "metadata")) ?? {});
  if (pairs.length > 16) {
    throw invalid(
      "metadata",
      "object_above_max_properties",
      `Invalid 'metadata': expected at most 16 pairs, but got ${pairs.length}.`,
    );
  }
  for (const [key, value] of pairs) {
    readText({ path: "metadata", value: key }, 64);
    readText({ path: `metadata.${key}`, value }, 512);
  }
}

function readStop(
  body: JsonObject,
  { maxStops = 4 }: Pick<RequestDialect, "maxStops">,
): readonly string[] {
  const stop = field(body, "stop");
  if (typeof stop.value === "string") return [stop.value];
  const list = readList(stop, 1, maxStops) ?? [];
  return list.map((value, index) => readText({ path: `stop[${index}]`, value }) ?? "");
}

function readLogprobs(body: JsonObject): number | undefined {
  const isAsked = readBoolean(field(body, "logprobs")) ?? false;
  const top = readInteger(field(body, "top_logprobs"), 0, 20);
  if (top !== undefined && !isAsked) {
    throw invalid(
      "top_logprobs",
      null,
      "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.",
    );
  }
  return isAsked ? (top ?? 0) : undefined;
}

function readPrediction(body: JsonObject): string | undefined {
  const prediction = readObject(field(body, "prediction"));
  if (prediction === undefined) return undefined;
  readChoice(field(prediction, "type", "prediction.type"), ["content"]);
  const { content } = prediction;
  if (typeof content === "string") return content;
  const parts = required(
    field(prediction, "content", "prediction.content"),
    readList(field(prediction, "content", "prediction.content"), 1, 1_000),
  );
  return parts.map((part) => (isJsonObject(part) ? jsonText(part["text"] ?? "") : "")).join("");
}

/** The tier that served the request: never "auto", and "fast" goes by its older name. */
export function readServiceTier(body: JsonObject): string {
  const tier = readChoice(field(body, "service_tier"), [
    "auto",
    "default",
    "flex",
    "scale",
    "priority",
    "fast",
  ]);
  if (tier === undefined || tier === "auto") return "default";
  return tier === "fast" ? "priority" : tier;
}
