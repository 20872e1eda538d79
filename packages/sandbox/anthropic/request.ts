import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Block } from "./blocks.ts";
import { checkBreakpoints, readCacheControl, type CacheTtl } from "./cache-control.ts";
import { readContextEdits, type ContextEdit } from "./context-edits.ts";
import { invalid, notFound } from "./error.ts";
import {
  field,
  inside,
  readBoolean,
  readChoice,
  readInteger,
  readNumber,
  readObject,
  readText,
  readTexts,
  refuseExtras,
  required,
} from "./fields.ts";
import { checkMcpServers } from "./mcp-servers.ts";
import { readMessages, type Turn } from "./messages.ts";
import { checkSupport } from "./model-support.ts";
import { findModel, type Model } from "./models.ts";
import { readOutputConfig, type OutputConfig } from "./output-config.ts";
import { LATEST_VERSION, type Betas, type RequestHeaders } from "./request-headers.ts";
import { readSystem } from "./system.ts";
import { readThinking, type Thinking } from "./thinking.ts";
import { checkThoughts, type ThoughtCheck } from "./thought-binding.ts";
import { readToolChoice, type ChoiceOfTool } from "./tool-choice.ts";
import { readTools, type OfferedTool } from "./tools.ts";

/** The part of a request that makes the prompt, which can be counted without being answered. */
export interface PromptRequest extends ChoiceOfTool {
  readonly model: Model;
  readonly system: readonly Block[];
  readonly turns: readonly Turn[];
  readonly tools: readonly OfferedTool[];
  readonly thinking: Thinking;
  readonly output: OutputConfig;
  readonly edits: readonly ContextEdit[] | undefined;
  /** Where the caller leaves it to the vendor where to cache. */
  readonly autoCache: CacheTtl | undefined;
  readonly betas: Betas;
  /** The owner of the presented key. */
  readonly account: string;
  readonly thoughts: ThoughtCheck;
}

/** Who asks, and in which version of the interface. */
export interface Caller extends RequestHeaders {
  readonly account: string;
}

/** A request that the vendor would accept. */
export interface MessagesRequest extends PromptRequest {
  readonly maxTokens: number;
  readonly stop: readonly string[];
  readonly isStream: boolean;
  /** Where the answer shall be made, if the caller cares. */
  readonly geo: string | undefined;
  /** The container that an earlier answer left, if one did. */
  readonly container: string | undefined;
}

/** Throws the error that the vendor would answer with. */
export function readMessagesRequest(body: Json | undefined, caller: Caller): MessagesRequest {
  const object = readBody(body);
  refuseExtras(object, [
    ...PROMPT_FIELDS,
    ...ANSWER_FIELDS,
    ...(caller.version === LATEST_VERSION ? [] : SAMPLING_FIELDS),
    ...betaFields(caller.betas),
  ]);
  // None at all only fills the cache.
  const maxTokens = required(field(object, "max_tokens"), (at) => readInteger(at, 0));
  const stop = readStop(object);
  const isStream = readBoolean(field(object, "stream")) ?? false;
  const geo = readChoice(field(object, "inference_geo"), ["us", "global"]);
  const container = readContainer(object, caller.betas);
  checkSampling(object);
  checkMetadata(object);
  readChoice(field(object, "service_tier"), ["auto", "standard_only"]);
  const prompt = readPrompt(object, caller, maxTokens);
  checkSupport(object, prompt, maxTokens);
  return { ...prompt, thoughts: checkThoughts(prompt), maxTokens, stop, isStream, geo, container };
}

export function readCountRequest(body: Json | undefined, caller: Caller): PromptRequest {
  const object = readBody(body);
  refuseExtras(object, [...PROMPT_FIELDS, ...betaFields(caller.betas)]);
  const prompt = readPrompt(object, caller, undefined);
  checkSupport(object, prompt, undefined);
  return { ...prompt, thoughts: checkThoughts(prompt) };
}

const PROMPT_FIELDS = [
  "model",
  "messages",
  "system",
  "tools",
  "tool_choice",
  "thinking",
  "output_config",
  "output_format",
  "context_management",
  "mcp_servers",
  "cache_control",
];

const ANSWER_FIELDS = [
  "max_tokens",
  "stop_sequences",
  "stream",
  "metadata",
  "service_tier",
  "container",
  "inference_geo",
  "speed",
  "diagnostics",
];

const SAMPLING_FIELDS = ["temperature", "top_p", "top_k"];

/** Members that exist for those who asked for them. */
function betaFields(betas: Betas): readonly string[] {
  const fields: readonly (readonly [string, readonly string[]])[] = [
    ["fallbacks", ["server-side-fallback-2026-06-01", "server-side-fallback-2026-07-01"]],
    ["fallback_credit_token", ["fallback-credit-2026-06-01", "fallback-credit-2026-07-01"]],
    ["billing_policy", ["user-profiles-billing-2026-10-01"]],
  ];
  return fields.flatMap(([name, names]) => (names.some((each) => betas.has(each)) ? [name] : []));
}

function readBody(body: Json | undefined): JsonObject {
  if (body === undefined) throw invalid("", "The request body is not valid JSON.");
  if (!isJsonObject(body)) throw invalid("", "Input should be a valid dictionary");
  return body;
}

function readPrompt(
  body: JsonObject,
  { betas, version, account }: Caller,
  maxTokens: number | undefined,
): PromptRequest {
  const id = required(field(body, "model"), readText);
  const turns = readMessages(field(body, "messages"), betas);
  const system = readSystem(field(body, "system"));
  const tools = readTools(field(body, "tools"), betas);
  const autoCache = readCacheControl(body);
  checkMcpServers(field(body, "mcp_servers"), betas);
  if (version === LATEST_VERSION) refuseRetired(turns);

  const blocks = [...tools, ...system, ...turns.flatMap((turn) => turn.blocks)];
  const breakpoints = blocks.flatMap(({ path, cache }) =>
    cache === undefined ? [] : [{ path, ttl: cache }],
  );
  checkBreakpoints(
    autoCache === undefined ? breakpoints : [...breakpoints, { path: "", ttl: autoCache }],
  );

  const prompt = {
    system,
    turns,
    tools,
    ...readToolChoice(field(body, "tool_choice"), tools),
    thinking: readThinking(body, maxTokens, betas),
    output: readOutputConfig(body, betas),
    edits: readContextEdits(field(body, "context_management"), betas),
    autoCache,
    betas,
    account,
    thoughts: UNCHECKED,
  };
  // The model is looked up last: a request that is wrong in itself is so for every model.
  const model = findModel(id);
  if (model === undefined) throw notFound(`model: ${id}`);
  return { ...prompt, model };
}

const UNCHECKED: ThoughtCheck = {
  transformations: [],
  binding: { prefix: "", thought: "", account: "" },
};

/** Fields that the newest version of the interface no longer accepts. */
function refuseRetired(turns: readonly Turn[]): void {
  for (const { role, blocks } of turns) {
    for (const block of blocks) {
      if (role === "assistant" && block.kind === "document")
        throw invalid(block.path, "`document` blocks can only be in `user` messages");
      if (role === "user" && isCitedText(block))
        throw invalid(inside(block.path, "citations"), "Extra inputs are not permitted");
    }
  }
}

function isCitedText({ raw }: Block): boolean {
  const texts = raw["type"] === "search_result" ? raw["content"] : [raw];
  return (
    isJsonArray(texts) &&
    texts.some((each) => {
      const citations = isJsonObject(each) && each["type"] === "text" ? each["citations"] : [];
      return isJsonArray(citations) && citations.length > 0;
    })
  );
}

function readStop(body: JsonObject): readonly string[] {
  const stop = readTexts(field(body, "stop_sequences"), 8_191) ?? [];
  if (stop.some((each) => each.trim() === ""))
    throw invalid("stop_sequences", "each stop sequence must contain non-whitespace");
  return stop;
}

function checkSampling(body: JsonObject): void {
  readNumber(field(body, "temperature"), 0, 1);
  // An older official client sends -1 where nothing was set, and the vendor takes it.
  if (body["top_p"] !== -1) readNumber(field(body, "top_p"), 0, 1);
  if (body["top_k"] !== -1) readInteger(field(body, "top_k"), 0);
}

function checkMetadata(body: JsonObject): void {
  const metadata = readObject(field(body, "metadata")) ?? {};
  refuseExtras(metadata, ["user_id"], "metadata");
  readText(field(metadata, "user_id", "metadata"), 256);
}

function readContainer(body: JsonObject, betas: Betas): string | undefined {
  const at = field(body, "container");
  if (!isJsonObject(at.value)) return readText(at);
  const skills = betas.has("skills-2025-10-02") ? ["skills"] : [];
  refuseExtras(at.value, ["id", ...skills], at.path);
  return readText(field(at.value, "id", inside("", "container")));
}
