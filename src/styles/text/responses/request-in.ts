import type { ChatRequest, OutputFormat, Reasoning } from "#core/chat.ts";
import type { CallWants } from "#core/style.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import {
  defined,
  flagOf,
  integerOf,
  listOf,
  memberOf,
  numberOf,
  objectOf,
  pick,
  restOf,
  textOf,
} from "#lib/values.ts";
import { ToolNames } from "./declared-tools.ts";
import { parseConversation } from "./item-in.ts";
import { normalize } from "./normalize.ts";
import { ENCRYPTED, LOGPROBS, READ_MEMBERS, RESPONSES, SPELLED_MEMBERS } from "./spelling.ts";
import { parseToolChoice, parseTools } from "./tool-in.ts";

/** Of a body that `readRequest` has let through. */
export function parseRequest(body: JsonObject): ChatRequest {
  const wire = { ...body, ...normalize(body) };
  const { tools, webSearch, hosted } = parseTools(wire);
  const names = new ToolNames(tools);
  const toolChoice = parseToolChoice(wire, names);
  return {
    model: textOf(wire["model"]) ?? "",
    messages: parseConversation(wire, names),
    stream: wire["stream"] === true,
    sampling: defined({
      temperature: numberOf(wire["temperature"]),
      topP: numberOf(wire["top_p"]),
      presencePenalty: numberOf(wire["presence_penalty"]),
      frequencyPenalty: numberOf(wire["frequency_penalty"]),
    }),
    ...defined({
      maxOutputTokens: integerOf(wire["max_output_tokens"]),
      tools,
      toolChoice,
      parallelToolCalls: flagOf(wire["parallel_tool_calls"]),
      format: parseFormat(wire),
      reasoning: parseReasoning(wire),
      logprobs: parseLogprobs(wire),
      webSearch,
      user: parseUser(wire),
      metadata: objectOf(wire["metadata"]),
      extra: extraOf(wire, {
        ...hosted,
        "input.compaction": listOf(wire["input"]).some(isCompaction) ? true : undefined,
        tool_choice: toolChoice === undefined ? wire["tool_choice"] : undefined,
      }),
    }),
    spelling: { [RESPONSES]: pick(wire, SPELLED_MEMBERS) },
  };
}

/** Sealed by a vendor: what this gateway sealed is a message before this. */
function isCompaction(item: Json): boolean {
  return memberOf(item, "type") === "compaction";
}

export function wantsOf(body: JsonObject): CallWants {
  const { tools, webSearch } = parseTools({ ...body, ...normalize(body) });
  return {
    hasTools: tools !== undefined,
    searches: webSearch !== undefined,
    reasoning: parseReasoning(body),
  };
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

/** `undefined` for a format that only some vendor knows. */
export function parseFormat(body: JsonObject): OutputFormat | undefined {
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

export function parseLogprobs(body: JsonObject): ChatRequest["logprobs"] {
  if (!listOf(body["include"]).includes(LOGPROBS)) return undefined;
  return defined({ top: integerOf(body["top_logprobs"]) });
}

/** The older member, or the one that took its place. */
export function parseUser(body: JsonObject): string | undefined {
  return textOf(body["user"]) || textOf(body["safety_identifier"]) || undefined;
}

const REASONING_MEMBERS = new Set(["effort", "summary", "generate_summary"]);
const TEXT_MEMBERS = new Set(["format"]);

/**
 * What no other style has. Members within members are named by their path:
 * such a name only says what is lost, since the caller's own words are kept.
 */
function extraOf(
  body: JsonObject,
  unknown: Readonly<Record<string, Json | undefined>>,
): ChatRequest["extra"] {
  const format = memberOf(body["text"], "format");
  const includes = listOf(body["include"]).filter((one) => one !== ENCRYPTED && one !== LOGPROBS);
  const rest = {
    ...restOf(body, READ_MEMBERS),
    ...within("reasoning", restOf(objectOf(body["reasoning"]) ?? {}, REASONING_MEMBERS)),
    ...within("text", restOf(objectOf(body["text"]) ?? {}, TEXT_MEMBERS)),
    ...defined({
      ...unknown,
      include: includes.length === 0 ? undefined : includes,
      "text.format": parseFormat(body) === undefined ? (format ?? undefined) : undefined,
    }),
  };
  return Object.keys(rest).length === 0 ? undefined : { [RESPONSES]: rest };
}

function within(name: string, members: JsonObject | undefined): Record<string, Json> {
  const named = Object.entries(members ?? {}).map(
    ([member, value]) => [`${name}.${member}`, value ?? null] as const,
  );
  return Object.fromEntries(named);
}
