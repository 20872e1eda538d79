import type { ChatRequest, OutputFormat, Reasoning } from "#core/chat.ts";
import type { OutboundContext } from "#core/style.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import {
  defined,
  flagOf,
  integerOf,
  listOf,
  memberOf,
  numberOf,
  objectOf,
  restOf,
  textOf,
} from "#lib/values.ts";
import {
  fieldReader,
  fieldWriter,
  member,
  preserveOriginal,
  type Built,
  type CarriedField,
  type CarriedGroup,
  type FieldTable,
  type Members,
  type Writing,
} from "#styles/text/request-fields.ts";
import { choosesSearch } from "#styles/text/search-choice.ts";
import { declarationOf, ToolNames } from "../conversation/declared-tools.ts";
import { buildReasoning } from "../conversation/reasoning-out.ts";
import { ENCRYPTED, LOGPROBS, RESPONSES } from "../raw-fields.ts";
import { parseToolChoice, parseTools } from "../conversation/tool-in.ts";
import {
  buildTool,
  buildToolChoice,
  buildWebSearch,
  withOwnNames,
} from "../conversation/tool-out.ts";

/** The upstream and the request, for the rows. */
interface ResponsesWriting extends Writing, Pick<OutboundContext, "model"> {
  /** Stands beside the format. */
  readonly verbosity: Json | undefined;
}

/** The least that the style's first vendor takes. */
const MIN_OUTPUT_TOKENS = 16;
const MAX_USER_LENGTH = 64;
const MAX_NOTES = 16;
const MAX_NOTE_LENGTH = 512;

/** Tools, and a choice among them: only where there are any. */
const TOOLS: CarriedGroup<
  "tools" | "webSearch" | "toolChoice" | "parallelToolCalls",
  ResponsesWriting
> = {
  fields: { tools: true, webSearch: true, toolChoice: true, parallelToolCalls: true },
  members: ["tools", "tool_choice", "parallel_tool_calls"],
  parse(body) {
    const { tools, webSearch, hosted } = parseTools(body);
    const toolChoice = parseToolChoice(body, new ToolNames(tools));
    const parallelToolCalls = flagOf(body["parallel_tool_calls"]);
    return {
      values: defined({ tools, webSearch, toolChoice, parallelToolCalls }),
      rest: {
        ...hosted,
        tool_choice: toolChoice === undefined ? body["tool_choice"] : undefined,
      },
    };
  },
  build(request, { report, raw }) {
    const { toolChoice, parallelToolCalls } = request;
    for (const { extra } of request.tools ?? []) report.loseForeign(extra, RESPONSES, "tools.");
    const { members, lost = [] } = toolsOf(request, raw);
    const names = new ToolNames(request.tools);
    const original = preserveOriginal(raw, ["tool_choice"], toolChoice, (body) =>
      parseToolChoice(body, names),
    );
    const choice =
      toolChoice === undefined || original !== undefined
        ? {}
        : { tool_choice: choosesSearch(request) ? SEARCH : buildToolChoice(toolChoice, report) };
    if (listOf(members["tools"]).length === 0 && raw === undefined) return { members: {}, lost };
    return {
      members: {
        ...withNamesOf({ ...members, ...original, ...choice }, raw),
        parallel_tool_calls: parallelToolCalls,
      },
      lost,
    };
  },
};

/** A name that the caller wrote is written so that an answer is read as that name. */
function withNamesOf(members: Members, raw: JsonObject | undefined): Members {
  const named = Object.entries(members).map(
    ([name, value = null]) => [name, value === raw?.[name] ? withOwnNames(value) : value] as const,
  );
  return Object.fromEntries(named);
}

const SEARCH = { type: "web_search" };

type HubTools = Pick<ChatRequest, "tools" | "webSearch">;

function toolsOf(request: ChatRequest, raw: JsonObject | undefined): Built {
  // An item of the input declares its own tools.
  const declared = request.tools?.filter((tool) => declarationOf(tool)?.isAdded !== true) ?? [];
  const asked: HubTools = defined({
    tools: declared.length === 0 ? undefined : declared,
    webSearch: request.webSearch,
  });
  const original = preserveOriginal(raw, ["tools"], asked, toolsIn);
  if (original !== undefined) return { members: original };
  const search = request.webSearch === undefined ? undefined : buildWebSearch(request.webSearch);
  const tools = [
    ...declared.filter((tool) => declarationOf(tool) === undefined).map(buildTool),
    ...(search === undefined ? [] : [search.members]),
    ...listOf(raw?.["tools"]).filter(isKept),
  ];
  return { members: tools.length === 0 ? {} : { tools }, ...defined({ lost: search?.lost }) };
}

function toolsIn(body: JsonObject): HubTools {
  const { tools, webSearch } = parseTools(body);
  return defined({ tools, webSearch });
}

/** Goes out as it was written: a hosted tool, a namespace, and what the style names by its type. */
function isKept(tool: Json): boolean {
  const { tools = [], webSearch } = toolsIn({ tools: [tool] });
  if (tools.length === 0) return webSearch === undefined;
  return tools.every((one) => declarationOf(one) !== undefined);
}

/** Penalties are of the open form of this style, so only its own callers send them. */
function penalty<Field extends "presencePenalty" | "frequencyPenalty">(
  name: string,
): CarriedField<Field, ResponsesWriting> {
  return {
    members: [name],
    parse: (body) => numberOf(body[name]),
    build: (value, { raw }) =>
      raw === undefined ? { members: {}, lost: [name] } : { members: { [name]: value } },
  };
}

const FIELDS = {
  temperature: member("temperature", numberOf),
  topP: member("top_p", numberOf),
  topK: { lost: { as: "top_k" } },
  presencePenalty: penalty("presence_penalty"),
  frequencyPenalty: penalty("frequency_penalty"),
  seed: { lost: { as: "seed" } },
  stop: { lost: { as: "stop", unless: (stop) => stop.length === 0 } },
  imageOptions: { lost: { as: "image_config" } },
  maxOutputTokens: {
    ...member("max_output_tokens", integerOf),
    build: (limit, { raw }) =>
      limit >= MIN_OUTPUT_TOKENS || raw !== undefined
        ? { members: { max_output_tokens: limit } }
        : { members: { max_output_tokens: MIN_OUTPUT_TOKENS }, lost: ["max_tokens"] },
  },
  metadata: {
    ...member("metadata", objectOf),
    build: (metadata, { raw }) =>
      raw !== undefined || isStorable(metadata)
        ? { members: { metadata } }
        : { members: {}, lost: ["metadata"] },
  },
  user: {
    members: ["user", "safety_identifier"],
    // The older member, or the one that took its place.
    parse: (body) => textOf(body["user"]) || textOf(body["safety_identifier"]) || undefined,
    // Some clients put whole records here, which the vendor refuses.
    build: (user) =>
      user.length <= MAX_USER_LENGTH ? { members: { user } } : { members: {}, lost: ["user"] },
  },
  logprobs: {
    // They are asked for in `include`, beside this member.
    members: ["top_logprobs"],
    parse: (body) =>
      listOf(body["include"]).includes(LOGPROBS)
        ? defined({ top: integerOf(body["top_logprobs"]) })
        : undefined,
    build: ({ top }) => ({ members: { top_logprobs: top } }),
  },
  reasoning: {
    members: ["reasoning"],
    parse: parseReasoning,
    rest: ({ reasoning }) =>
      within("reasoning", restOf(objectOf(reasoning) ?? {}, REASONING_MEMBERS)),
    build: buildReasoning,
  },
  format: {
    members: ["text"],
    parse: parseFormat,
    rest: restOfFormat,
    build: (format, { raw, verbosity }) => ({
      members: {
        text: {
          ...objectOf(raw?.["text"]),
          ...defined({ verbosity }),
          format: buildFormat(format),
        },
      },
    }),
  },
  tools: { group: TOOLS },
  webSearch: { group: TOOLS },
  toolChoice: { group: TOOLS },
  parallelToolCalls: { group: TOOLS },
  choices: {
    refused: {
      as: "n",
      why: () => "the responses style has one answer to a request.",
      unless: (choices) => choices <= 1,
    },
  },
  modalities: {
    refused: {
      as: "modalities",
      why: (asked) => `the responses style has no ${asked.find(isOther) ?? "such"} output.`,
      unless: (asked) => !asked.some(isOther),
    },
  },
} satisfies FieldTable<ResponsesWriting>;

/** Reads everything of a body apart from its model and its conversation. */
export const readFields = fieldReader(FIELDS, {
  structural: ["model", "input", "stream"],
  kept: [
    "instructions",
    "include",
    "store",
    "previous_response_id",
    "truncation",
    "background",
    "stream_options",
  ],
  rest(body) {
    const includes = listOf(body["include"]).filter((one) => one !== ENCRYPTED && one !== LOGPROBS);
    return {
      "input.compaction": listOf(body["input"]).some(isCompaction) ? true : undefined,
      include: includes.length === 0 ? undefined : includes,
    };
  },
});

export const writeFields = fieldWriter<ResponsesWriting, Record<string, Json | undefined>>(FIELDS);

/** Sealed by a vendor: what this gateway sealed is a message before this. */
function isCompaction(item: Json): boolean {
  return memberOf(item, "type") === "compaction";
}

function isOther(modality: string): boolean {
  return modality !== "text";
}

function isStorable(metadata: JsonObject): boolean {
  const notes = Object.values(metadata);
  return (
    notes.length <= MAX_NOTES &&
    notes.every((note) => typeof note === "string" && note.length <= MAX_NOTE_LENGTH)
  );
}

export function parseReasoning(body: JsonObject): Reasoning | undefined {
  const asked = objectOf(body["reasoning"]);
  const summary = textOf(asked?.["summary"]) ?? textOf(asked?.["generate_summary"]);
  const reasoning: Reasoning = defined({
    effort: textOf(asked?.["effort"]),
    visible: summary === undefined ? undefined : summary !== "none",
  });
  return Object.keys(reasoning).length === 0 ? undefined : reasoning;
}

const REASONING_MEMBERS = new Set(["effort", "summary", "generate_summary"]);
const TEXT_MEMBERS = new Set(["format"]);

/** `undefined` for a format that only some vendor knows. */
function parseFormat(body: JsonObject): OutputFormat | undefined {
  const format = objectOf(memberOf(body["text"], "format"));
  switch (format?.["type"]) {
    case "text":
      return { type: "text" };
    case "json_object":
      return { type: "json" };
    case "json_schema":
      return {
        type: "json_schema",
        name: textOf(format["name"]) ?? "response",
        ...defined({
          description: textOf(format["description"]),
          schema: objectOf(format["schema"]),
          strict: flagOf(format["strict"]),
        }),
      };
    default:
      return undefined;
  }
}

function restOfFormat(body: JsonObject): Readonly<Record<string, Json | undefined>> {
  const text = objectOf(body["text"]);
  if (text === undefined) return {};
  const format = parseFormat(body) === undefined ? (text["format"] ?? undefined) : undefined;
  return { ...within("text", restOf(text, TEXT_MEMBERS)), "text.format": format };
}

/**
 * Members within members are named by their path. Such a name is for the loss
 * report only, because the caller's own members are kept.
 */
function within(name: string, members: JsonObject | undefined): Record<string, Json> {
  const named = Object.entries(members ?? {}).map(
    ([one, value]) => [`${name}.${one}`, value ?? null] as const,
  );
  return Object.fromEntries(named);
}

function buildFormat(format: OutputFormat): JsonObject {
  switch (format.type) {
    case "text":
      return { type: "text" };
    case "json":
      return { type: "json_object" };
    case "json_schema": {
      const { name, description, schema, strict } = format;
      return { type: "json_schema", ...defined({ name, description, schema, strict }) };
    }
  }
}
