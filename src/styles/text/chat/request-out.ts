import type { ChatRequest, Extra, OutputFormat } from "#core/chat.ts";
import { refuse, type LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import type { OutboundContext } from "#core/style.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, listOf, memberOf, objectOf, pick } from "#lib/values.ts";
import { planBreakpoints, type BreakpointPlan } from "#styles/text/prompt-cache.ts";
import { hasPrefill } from "#styles/text/prefill.ts";
import { choosesSearch } from "#styles/text/search-choice.ts";
import { dialectOf, type ChatDialect } from "./dialect.ts";
import { withJsonWord } from "./json-word.ts";
import { buildMessages } from "./message-out.ts";
import { withPrefill } from "./prefill.ts";
import { pairCalls } from "./pair-calls.ts";
import { withWordsAfterTools } from "./words-after-tools.ts";
import { parseTemperature, parseTopP } from "./parameters.ts";
import { buildPicture, parsePicture } from "./picture.ts";
import { parseReasoning, withoutReasoning } from "./reasoning-in.ts";
import { buildReasoning } from "./reasoning-out.ts";
import {
  parseFormat,
  parseLimit,
  parseLogprobs,
  parseModalities,
  parseStop,
  parseTopK,
} from "./request-in.ts";
import { CHAT, isOwn, REASONING_MEMBERS, SEARCH_MEMBERS, spellingIn } from "./spelling.ts";
import { parseToolChoice } from "./tool-in.ts";
import { buildToolChoice, buildTools } from "./tool-out.ts";
import { vendorNames } from "./vendor-members.ts";
import { buildWebSearch, parseWebSearch } from "./web-search.ts";

/** The most that every server of this style takes. */
const MAX_STOPS = 4;
/** Other styles' callers may write as much as they like. */
const MAX_USER_LENGTH = 64;

/**
 * In the shape of the style's first vendor, and in the dialect of the one who
 * is asked. What the caller wrote in this style goes out as it was written,
 * unless its meaning was changed on the way.
 */
export function buildRequest(request: ChatRequest, context: OutboundContext): JsonObject {
  const { report, model } = context;
  const dialect = dialectOf(context);
  const caching = planCaching(request, context);
  const { sampling } = request;
  const own = request.extra?.[CHAT] ?? {};
  const spelling = spellingIn(request) ?? {};
  const tools = [
    ...buildTools(request, dialect, report),
    ...listOf(spelling["tools"]),
    ...listOf(own["tools"]),
  ];
  // What a caller of this style wrote for another one still stands where they wrote it.
  const { verbosity, extra } = withVerbosity(caching.extra, context, dialect);
  if (!isOwn(request)) report.loseForeign(extra, CHAT);

  const messages = messagesOf(request, dialect, report, caching.marks);
  const reasoning = reasoningOf(request, context, dialect);
  return defined({
    model: request.model,
    messages,
    ...(request.stream ? streaming(spelling) : {}),
    ...pick(spelling, ["usage"]),
    ...asWritten(request, ["temperature"], sampling.temperature, parseTemperature, (value) => ({
      temperature: value,
    })),
    ...asWritten(request, ["top_p"], sampling.topP, parseTopP, (value) => ({ top_p: value })),
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    seed: sampling.seed,
    n: request.choices,
    ...(isOwn(request) ? pickKnown(request) : fitUser(request, report)),
    ...caching.members,
    ...own,
    ...defined({ verbosity }),
    ...pick(spelling, ["parameters"]),
    ...asWritten(request, ["top_k"], sampling.topK, parseTopK, (value) => {
      if (dialect.topK !== true) report.lose("top_k");
      return dialect.topK === true ? { top_k: value } : {};
    }),
    ...asWritten(request, LIMITS, request.maxOutputTokens, parseLimit, (limit) =>
      dialect.maxCompletionTokens === true
        ? { max_completion_tokens: limit }
        : { max_tokens: limit },
    ),
    ...asWritten(request, ["stop"], request.stop, parseStop, (stop) => buildStop(stop, report)),
    ...asWritten(request, LOGPROBS, request.logprobs, parseLogprobs, (logprobs) =>
      defined({ logprobs: true, top_logprobs: logprobs.top }),
    ),
    ...asWritten(request, ["modalities"], request.modalities, parseModalities, (modalities) =>
      buildModalities(modalities, model),
    ),
    ...asWritten(request, ["image_config"], request.picture, parsePicture, (wish) => {
      if (dialect.pictures !== true) report.lose("image_config");
      return dialect.pictures === true ? buildPicture(wish) : {};
    }),
    ...asWritten(request, ["response_format"], request.format, parseFormat, (format) => ({
      response_format: buildFormat(format),
    })),
    ...reasoning,
    ...(isOwn(request) ? {} : keepingReasoning(request.model, messages, reasoning, dialect)),
    ...asWritten(request, SEARCH_MEMBERS, request.webSearch, parseWebSearch, (search) =>
      buildWebSearch(search, request.model, dialect, report),
    ),
    ...(tools.length > 0 ? { tools, ...choosing(request, dialect, report) } : {}),
  });
}

/** A caller of this style wrote its own breakpoints. Here the one at the end lives short. */
function planCaching(request: ChatRequest, context: OutboundContext): BreakpointPlan {
  if (isOwn(request)) return { marks: new Map(), members: {}, extra: request.extra };
  const plan = planBreakpoints(request, context, ({ role }) => role !== "assistant");
  const mode = memberOf(plan.members["prompt_cache_options"], "mode");
  return mode === undefined ? plan : { ...plan, members: { prompt_cache_options: { mode } } };
}

/** A caller of this style answers for their own conversation; another's is made to fit. */
function messagesOf(
  request: ChatRequest,
  dialect: ChatDialect,
  report: LossReport,
  marks: BreakpointPlan["marks"],
): readonly JsonObject[] {
  const messages = buildMessages(request.messages, dialect, report, marks);
  if (isOwn(request)) return messages;
  const paired = pairCalls(messages, report);
  const turns = dialect.usersAfterTools === false ? withWordsAfterTools(paired) : paired;
  const spoken = hasPrefill(request) ? withPrefill(turns, dialect, report) : turns;
  return withJsonWord(spoken, request.format);
}

/** Usage is always asked for: a call is billed by it. */
function streaming(spelling: JsonObject): JsonObject {
  const options = { ...objectOf(spelling["stream_options"]), include_usage: true };
  return { stream: true, stream_options: options };
}

function pickKnown({ user, metadata }: ChatRequest): JsonObject {
  return defined({ user, metadata });
}

/** The responses style has it in `text`. */
function withVerbosity(
  extra: Extra = {},
  { model }: OutboundContext,
  dialect: ChatDialect,
): { readonly verbosity?: Json; readonly extra: Extra } {
  const verbosity = extra[RESPONSES]?.[VERBOSITY];
  const isTaken = dialect.verbosity === true && model.reasoningControls !== undefined;
  if (verbosity === undefined || !isTaken) return { extra };
  const { [VERBOSITY]: _, ...rest } = extra[RESPONSES] ?? {};
  return { verbosity, extra: { ...extra, [RESPONSES]: rest } };
}

const VERBOSITY = "text.verbosity";
const RESPONSES = "responses";

/** Metadata is refused where nothing is stored, and only ever read by who wrote it. */
function fitUser({ user, metadata }: ChatRequest, report: LossReport): JsonObject {
  if (metadata !== undefined) report.lose("metadata");
  if (user === undefined || user.length <= MAX_USER_LENGTH) return defined({ user });
  report.lose("user");
  return {};
}

/** Members that hold more than reasoning keep the rest, also where the reasoning was changed on the way. */
function reasoningOf(
  request: ChatRequest,
  { report, model }: OutboundContext,
  { reasoning: terms = "effort" }: ChatDialect,
): Readonly<Record<string, Json | undefined>> {
  const spelling = spellingIn(request) ?? {};
  const members = [...REASONING_MEMBERS, ...vendorNames(spelling)];
  return asWritten(request, members, request.reasoning, parseReasoning, (asked) => ({
    ...withoutReasoning(spelling, ["thinking_config"]),
    ...buildReasoning(asked, { model, terms, stream: request.stream, report }),
  }));
}

/** The reasoning of earlier turns was sent to be read: a caller of another style cannot say so in this one. */
function keepingReasoning(
  model: string,
  messages: readonly JsonObject[],
  reasoning: Readonly<Record<string, Json | undefined>>,
  { keepsReasoning }: ChatDialect,
): JsonObject {
  if (keepsReasoning?.models.test(model) !== true) return {};
  const isBack = messages.some((message) => message["reasoning_content"] !== undefined);
  const isOff = memberOf(reasoning["thinking"], "type") === "disabled";
  if (!isBack || isOff) return {};
  const { thinking, ...others } = keepsReasoning.by;
  if (thinking === undefined) return others;
  return { ...others, thinking: { ...objectOf(thinking), ...objectOf(reasoning["thinking"]) } };
}

/** Without tools these two are refused. */
function choosing(request: ChatRequest, dialect: ChatDialect, report: LossReport): JsonObject {
  if (!isOwn(request) && choosesSearch(request)) {
    report.lose("tool_choice");
    return defined({ parallel_tool_calls: request.parallelToolCalls });
  }
  return defined({
    ...asWritten(request, ["tool_choice"], request.toolChoice, parseToolChoice, (choice) => ({
      tool_choice: buildToolChoice(choice, request, dialect),
    })),
    parallel_tool_calls: request.parallelToolCalls,
  });
}

const LIMITS = ["max_completion_tokens", "max_tokens"] as const;
const LOGPROBS = ["logprobs", "top_logprobs"] as const;

/** The caller's own words where they still mean what the request says. */
function asWritten<T>(
  request: ChatRequest,
  members: readonly string[],
  value: T | undefined,
  parse: (body: JsonObject) => T | undefined,
  build: (value: T) => Readonly<Record<string, Json | undefined>>,
): Readonly<Record<string, Json | undefined>> {
  const spelling = spellingIn(request);
  if (spelling !== undefined && isSame(parse(spelling), value)) return pick(spelling, members);
  return value === undefined ? {} : build(value);
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function buildModalities(
  modalities: NonNullable<ChatRequest["modalities"]>,
  { output }: ModelTraits,
): JsonObject {
  const missing = modalities.find((one) => output !== undefined && !output.includes(one));
  if (missing !== undefined) throw refuse("modalities", `this model answers without ${missing}.`);
  return { modalities };
}

function buildStop(stop: readonly string[], report: LossReport): JsonObject {
  if (stop.length > MAX_STOPS) report.lose("stop");
  return stop.length === 0 ? {} : { stop: stop.slice(0, MAX_STOPS) };
}

function buildFormat(format: OutputFormat): JsonObject {
  switch (format.type) {
    case "text":
      return { type: "text" };
    case "json":
      return { type: "json_object" };
    case "json_schema": {
      const { name, description, schema, strict } = format;
      return { type: "json_schema", json_schema: defined({ name, description, schema, strict }) };
    }
  }
}
