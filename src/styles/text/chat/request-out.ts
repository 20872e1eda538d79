import type { ChatRequest, OutputFormat, Tool, ToolChoice, WebSearch } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import type { OutboundContext } from "#core/style.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { buildMessages } from "./message-out.ts";
import { parseReasoning } from "./reasoning-in.ts";
import { buildReasoning } from "./reasoning-out.ts";
import {
  parseFormat,
  parseLimit,
  parseLogprobs,
  parseModalities,
  parseStop,
  parseToolChoice,
  parseTopK,
  parseWebSearch,
} from "./request-in.ts";
import { CHAT, REASONING_MEMBERS, spellingIn } from "./spelling.ts";
import { defined, listOf, objectOf, pick } from "#lib/values.ts";

/** The most that every server of this style takes. */
const MAX_STOPS = 4;

/**
 * In the shape of the style's first vendor. What the caller wrote in this
 * style goes out as it was written, unless its meaning was changed on the way.
 */
export function buildRequest(request: ChatRequest, { report }: OutboundContext): JsonObject {
  const { sampling, reasoning } = request;
  const own = request.extra?.[CHAT] ?? {};
  const tools = [
    ...(request.tools ?? []).map((tool) => buildTool(tool, report)),
    ...listOf(own["tools"]),
  ];
  report.loseForeign(request.extra, CHAT);

  return defined({
    model: request.model,
    messages: buildMessages(request.messages, report),
    ...(request.stream ? streaming(request) : {}),
    ...pick(spellingIn(request) ?? {}, ["usage"]),
    temperature: sampling.temperature,
    top_p: sampling.topP,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    seed: sampling.seed,
    n: request.choices,
    user: request.user,
    metadata: request.metadata,
    ...own,
    ...asWritten(request, ["top_k"], sampling.topK, parseTopK, () => lost("top_k", report)),
    ...asWritten(request, LIMITS, request.maxOutputTokens, parseLimit, (limit) => ({
      max_tokens: limit,
    })),
    ...asWritten(request, ["stop"], request.stop, parseStop, (stop) => buildStop(stop, report)),
    ...asWritten(request, LOGPROBS, request.logprobs, parseLogprobs, (logprobs) =>
      defined({ logprobs: true, top_logprobs: logprobs.top }),
    ),
    ...asWritten(request, ["modalities"], request.modalities, parseModalities, (modalities) => ({
      modalities,
    })),
    ...asWritten(request, ["response_format"], request.format, parseFormat, (format) => ({
      response_format: buildFormat(format),
    })),
    ...asWritten(request, ["web_search_options"], request.webSearch, parseWebSearch, (search) => ({
      web_search_options: buildWebSearch(search),
    })),
    ...asWritten(request, REASONING_MEMBERS, reasoning, parseReasoning, (asked) =>
      buildReasoning(asked, report),
    ),
    ...(tools.length > 0 ? { tools, ...choosing(request) } : {}),
  });
}

/** Usage is always asked for: a call is billed by it. */
function streaming(request: ChatRequest): JsonObject {
  const spelling = spellingIn(request) ?? {};
  const options = { ...objectOf(spelling["stream_options"]), include_usage: true };
  return { stream: true, stream_options: options };
}

/** Without tools these two are refused. */
function choosing(request: ChatRequest): JsonObject {
  return defined({
    ...asWritten(request, ["tool_choice"], request.toolChoice, parseToolChoice, (choice) => ({
      tool_choice: buildToolChoice(choice),
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
  const written = pick(spellingIn(request) ?? {}, members);
  if (Object.keys(written).length > 0 && isSame(parse(written), value)) return written;
  return value === undefined ? {} : build(value);
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function lost(field: string, report: LossReport): JsonObject {
  report.lose(field);
  return {};
}

function buildStop(stop: readonly string[], report: LossReport): JsonObject {
  if (stop.length > MAX_STOPS) report.lose("stop");
  return stop.length === 0 ? {} : { stop: stop.slice(0, MAX_STOPS) };
}

function buildTool(tool: Tool, report: LossReport): JsonObject {
  const { [tool.kind]: inner, ...outer } = tool.extra?.[CHAT] ?? {};
  report.loseForeign(tool.extra, CHAT, "tools.");
  return {
    ...outer,
    type: tool.kind,
    [tool.kind]: {
      ...objectOf(inner),
      ...defined({
        name: tool.name,
        description: tool.description,
        parameters: tool.parameters,
        strict: tool.strict,
        format: tool.format,
      }),
    },
  };
}

function buildToolChoice(choice: ToolChoice): Json {
  switch (choice.mode) {
    case "auto":
    case "none":
    case "required":
      return choice.mode;
    case "named":
      return { type: choice.kind, [choice.kind]: { name: choice.name } };
    case "allowed":
      return {
        type: "allowed_tools",
        allowed_tools: { mode: choice.required ? "required" : "auto", tools: choice.tools },
      };
  }
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

function buildWebSearch({ contextSize, location }: WebSearch): JsonObject {
  return defined({
    search_context_size: contextSize,
    user_location:
      location === undefined ? undefined : { type: "approximate", approximate: { ...location } },
  });
}
