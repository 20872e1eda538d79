import type { ChatRequest, OutputFormat, ToolChoice, WebSearch } from "#core/chat.ts";
import { refuse } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import {
  defined,
  flagOf,
  integerOf,
  listOf,
  memberOf,
  numberOf,
  objectOf,
  textOf,
} from "#lib/values.ts";
import {
  fieldReader,
  fieldWriter,
  member,
  preserveOriginal,
  type Built,
  type CarriedGroup,
  type FieldTable,
  type Writing,
} from "#styles/text/request-fields.ts";
import { choosesSearch } from "#styles/text/search-choice.ts";
import { ownName } from "#styles/text/tool-names.ts";
import type { ChatDialect } from "./dialect.ts";
import { buildImageOptions, parseImageOptions, restOfImageOptions } from "./image-options.ts";
import { parseTemperature, parseTopP, restOfParameters } from "./parameters.ts";
import { parseReasoning, withoutReasoning } from "../conversation/reasoning-in.ts";
import { buildReasoning } from "../conversation/reasoning-out.ts";
import { CHAT } from "../raw-fields.ts";
import { isLegacy, parseToolChoice, parseTools } from "../conversation/tool-in.ts";
import { buildToolChoice, buildTools, losesFormat } from "../conversation/tool-out.ts";
import { vendorNames } from "./vendor-members.ts";
import { buildWebSearch, parseWebSearch, SEARCH_MEMBERS } from "./web-search.ts";

/** The upstream and the request, for the rows. */
interface ChatWriting extends Writing {
  readonly model: ModelTraits;
  readonly dialect: ChatDialect;
  readonly stream: boolean;
  readonly modelName: string;
}

/** The most that every server of this style takes. */
const MAX_STOPS = 4;
/** Other styles' callers may write as much as they like. */
const MAX_USER_LENGTH = 64;
/** Members of a vendor's own object that the hub reads. */
const VENDOR_MEMBERS = ["thinking_config", "tools", "image_config"];

/** Tools, and which of them to use: without tools, a choice among them is refused. */
const TOOLS: CarriedGroup<"tools" | "toolChoice" | "parallelToolCalls", ChatWriting> = {
  fields: { tools: true, toolChoice: true, parallelToolCalls: true },
  members: ["tools", "functions", "tool_choice", "function_call", "parallel_tool_calls"],
  parse(body) {
    const { known: tools, unknown } = parseTools(body);
    const toolChoice = parseToolChoice(body);
    // Callers of the older form have room for one call only.
    const parallelToolCalls = isLegacy(body) ? false : flagOf(body["parallel_tool_calls"]);
    return {
      values: defined({ tools, toolChoice, parallelToolCalls }),
      rest: {
        tools: unknown,
        tool_choice: toolChoice === undefined ? body["tool_choice"] : undefined,
      },
    };
  },
  build(request, context) {
    const { dialect, raw, report } = context;
    const tools = [
      ...buildTools(request, dialect, report),
      // A function that stands for the vendor's search, as its caller wrote it.
      ...(raw === undefined ? [] : (parseTools(raw).search ?? [])),
      ...listOf(request.extra?.[CHAT]?.["tools"]),
    ];
    if (tools.length === 0) return { members: {} };
    const choice = choiceOf(request, context);
    const unasked = dialect.callsInParallel === false ? true : undefined;
    return {
      members: {
        tools,
        ...choice.members,
        parallel_tool_calls: request.parallelToolCalls ?? unasked,
      },
      lost: [...(losesFormat(request, dialect) ? ["tools.format"] : []), ...(choice.lost ?? [])],
    };
  },
};

function choiceOf(request: ChatRequest, { raw, dialect }: ChatWriting): Built {
  if (raw === undefined && choosesSearch(request)) return { members: {}, lost: ["tool_choice"] };
  const { toolChoice } = request;
  // The older form's own member cannot go beside tools.
  const original =
    raw?.["tool_choice"] === undefined
      ? undefined
      : preserveOriginal(raw, ["tool_choice"], toolChoice, parseToolChoice);
  if (original !== undefined && !isRenamed(toolChoice)) return { members: original };
  if (toolChoice === undefined) return { members: {} };
  return { members: { tool_choice: buildToolChoice(toolChoice, request, dialect) } };
}

/** Whether a tool of the choice goes out under another name. */
function isRenamed(choice: ToolChoice | undefined): boolean {
  if (choice?.mode === "named") return ownName(choice.name) !== choice.name;
  return choice?.mode === "allowed" && choice.tools.some(({ name }) => ownName(name) !== name);
}

const FIELDS = {
  temperature: {
    members: ["temperature"],
    parse: parseTemperature,
    build: (temperature) => ({ members: { temperature } }),
  },
  topP: {
    members: ["top_p"],
    parse: parseTopP,
    build: (topP) => ({ members: { top_p: topP } }),
  },
  presencePenalty: member("presence_penalty", numberOf),
  frequencyPenalty: member("frequency_penalty", numberOf),
  seed: {
    // The second is one vendor's name for it.
    members: ["seed", "random_seed"],
    parse: (body) => integerOf(body["seed"]) ?? integerOf(body["random_seed"]),
    build: (seed) => ({ members: { seed } }),
  },
  choices: member("n", integerOf),
  // Vendors refuse it unless they store the answer, and only its own caller reads it.
  metadata: {
    ...member("metadata", objectOf),
    build: (metadata, { raw }) =>
      raw === undefined ? { members: {}, lost: ["metadata"] } : { members: { metadata } },
  },
  user: {
    ...member("user", textOf),
    build: (user, { raw }) =>
      user.length > MAX_USER_LENGTH && raw === undefined
        ? { members: {}, lost: ["user"] }
        : { members: { user } },
  },
  topK: {
    ...member("top_k", integerOf),
    build: (topK, { dialect }) =>
      dialect.topK === true ? { members: { top_k: topK } } : { members: {}, lost: ["top_k"] },
  },
  maxOutputTokens: {
    members: ["max_completion_tokens", "max_tokens"],
    parse: (body) => integerOf(body["max_completion_tokens"]) ?? integerOf(body["max_tokens"]),
    build: (limit, { dialect }) => ({
      members:
        dialect.maxCompletionTokens === true
          ? { max_completion_tokens: limit }
          : { max_tokens: limit },
    }),
  },
  stop: { members: ["stop"], parse: parseStop, build: buildStop },
  logprobs: {
    members: ["logprobs", "top_logprobs"],
    parse: (body) =>
      body["logprobs"] === true ? defined({ top: integerOf(body["top_logprobs"]) }) : undefined,
    build: ({ top }) => ({ members: { logprobs: true, top_logprobs: top } }),
  },
  modalities: { members: ["modalities"], parse: parseModalities, build: buildModalities },
  imageOptions: {
    members: ["image_config"],
    parse: parseImageOptions,
    rest: restOfImageOptions,
    build: (options, { dialect }) =>
      dialect.pictures === true
        ? { members: buildImageOptions(options) }
        : { members: {}, lost: ["image_config"] },
  },
  format: {
    members: ["response_format"],
    parse: parseFormat,
    rest: (body) => ({
      response_format: parseFormat(body) === undefined ? body["response_format"] : undefined,
    }),
    build: (format) => ({ members: { response_format: buildFormat(format) } }),
  },
  reasoning: {
    members: [
      "reasoning_effort",
      "thinking",
      "enable_thinking",
      "thinking_budget",
      "reasoning",
      "extra_body",
      "generationConfig",
    ],
    moreMembers: vendorNames,
    parse: parseReasoning,
    rest: (body) => withoutReasoning(body, VENDOR_MEMBERS),
    build(reasoning, { model, dialect: { reasoning: terms = "effort" }, stream, raw = {} }) {
      const { members, lost } = buildReasoning(reasoning, { model, terms, stream });
      return {
        members: { ...withoutReasoning(raw, ["thinking_config"]), ...members },
        ...defined({ lost }),
      };
    },
  },
  webSearch: {
    members: SEARCH_MEMBERS,
    parse: (body) => parseWebSearch(body) ?? legacySearch(body),
    build: (search, { modelName, dialect }) => buildWebSearch(search, modelName, dialect),
  },
  tools: { group: TOOLS },
  toolChoice: { group: TOOLS },
  parallelToolCalls: { group: TOOLS },
} satisfies FieldTable<ChatWriting>;

/** Reads everything of a body apart from its model and its messages. */
export const readFields = fieldReader(FIELDS, {
  structural: ["model", "messages", "stream"],
  kept: ["stream_options", "usage", "parameters", "svc_thinking_to_content", "thinking_to_content"],
  rest: restOfParameters,
});

export const writeFields = fieldWriter<ChatWriting, Record<string, Json | undefined>>(FIELDS);

/** Functions of the older form may stand for the vendor's search as well. */
function legacySearch(body: JsonObject): WebSearch | undefined {
  return isLegacy(body) && parseTools(body).search !== undefined ? {} : undefined;
}

export function parseStop(body: JsonObject): readonly string[] | undefined {
  const stop = body["stop"];
  if (stop === undefined) return undefined;
  if (typeof stop === "string") return [stop];
  const stops = listOf(stop).filter((one) => typeof one === "string");
  return stops.length === 0 ? undefined : stops;
}

function buildStop(stop: readonly string[]): Built {
  return {
    members: stop.length === 0 ? {} : { stop: stop.slice(0, MAX_STOPS) },
    lost: stop.length > MAX_STOPS ? ["stop"] : [],
  };
}

function parseModalities(body: JsonObject): ChatRequest["modalities"] {
  const known = listOf(body["modalities"]).filter(
    (one) => one === "text" || one === "audio" || one === "image",
  );
  return known.length === 0 ? undefined : known;
}

function buildModalities(
  modalities: NonNullable<ChatRequest["modalities"]>,
  { model: { output } }: ChatWriting,
): Built {
  const missing = modalities.find((one) => output !== undefined && !output.includes(one));
  if (missing !== undefined) throw refuse("modalities", `this model answers without ${missing}.`);
  return { members: { modalities } };
}

/** `undefined` for a format that only some vendor knows. */
function parseFormat(body: JsonObject): OutputFormat | undefined {
  const format = body["response_format"];
  switch (memberOf(format, "type")) {
    case "text":
      return { type: "text" };
    case "json_object":
      return { type: "json" };
    case "json_schema": {
      const schema = memberOf(format, "json_schema");
      return {
        type: "json_schema",
        name: textOf(memberOf(schema, "name")) ?? "response",
        ...defined({
          description: textOf(memberOf(schema, "description")),
          schema: objectOf(memberOf(schema, "schema")),
          strict: flagOf(memberOf(schema, "strict")),
        }),
      };
    }
    default:
      return undefined;
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
