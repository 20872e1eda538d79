import type { ChatRequest, OutputFormat, Tool, ToolChoice, WebSearch } from "#core/chat.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { parseMessages } from "./message-in.ts";
import { parseReasoning, withoutReasoning } from "./reasoning-in.ts";
import { CHAT, READ_MEMBERS, SPELLED_MEMBERS } from "./spelling.ts";
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

/** Of a body that `readRequest` has let through. */
export function parseRequest(body: JsonObject): ChatRequest {
  const tools = parseTools(body);
  const toolChoice = parseToolChoice(body);
  const format = parseFormat(body);
  return {
    model: textOf(body["model"]) ?? "",
    messages: parseMessages(listOf(body["messages"])),
    stream: body["stream"] === true,
    sampling: defined({
      temperature: numberOf(body["temperature"]),
      topP: numberOf(body["top_p"]),
      topK: parseTopK(body),
      presencePenalty: numberOf(body["presence_penalty"]),
      frequencyPenalty: numberOf(body["frequency_penalty"]),
      seed: integerOf(body["seed"]),
    }),
    ...defined({
      maxOutputTokens: parseLimit(body),
      stop: parseStop(body),
      choices: integerOf(body["n"]),
      tools: tools.known,
      toolChoice,
      // Callers of the older form have room for one call only.
      parallelToolCalls: isLegacy(body) ? false : flagOf(body["parallel_tool_calls"]),
      format,
      reasoning: parseReasoning(body),
      logprobs: parseLogprobs(body),
      modalities: parseModalities(body),
      webSearch: parseWebSearch(body),
      user: textOf(body["user"]),
      metadata: objectOf(body["metadata"]),
      extra: extraOf(body, {
        tools: tools.unknown,
        tool_choice: toolChoice === undefined ? body["tool_choice"] : undefined,
        response_format: format === undefined ? body["response_format"] : undefined,
      }),
      spelling: spellingOf(body),
    }),
  };
}

export function parseLimit(body: JsonObject): number | undefined {
  return integerOf(body["max_completion_tokens"]) ?? integerOf(body["max_tokens"]);
}

export function parseTopK(body: JsonObject): number | undefined {
  return integerOf(body["top_k"]);
}

export function parseStop(body: JsonObject): readonly string[] | undefined {
  const stop = body["stop"];
  if (typeof stop === "string") return [stop];
  const stops = listOf(stop).filter((one) => typeof one === "string");
  return stops.length === 0 ? undefined : stops;
}

export function parseLogprobs(body: JsonObject): ChatRequest["logprobs"] {
  if (body["logprobs"] !== true) return undefined;
  return defined({ top: integerOf(body["top_logprobs"]) });
}

export function parseModalities(body: JsonObject): ChatRequest["modalities"] {
  const known = listOf(body["modalities"]).filter(
    (one) => one === "text" || one === "audio" || one === "image",
  );
  return known.length === 0 ? undefined : known;
}

export function parseWebSearch(body: JsonObject): WebSearch | undefined {
  const options = body["web_search_options"];
  if (!isObject(options)) return undefined;
  const size = options["search_context_size"];
  const place = memberOf(options["user_location"], "approximate");
  return defined({
    contextSize: size === "low" || size === "medium" || size === "high" ? size : undefined,
    location: isObject(place)
      ? defined({
          country: textOf(place["country"]),
          region: textOf(place["region"]),
          city: textOf(place["city"]),
          timezone: textOf(place["timezone"]),
        })
      : undefined,
  });
}

/** `undefined` for a format that only some vendor knows. */
export function parseFormat(body: JsonObject): OutputFormat | undefined {
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

/** `undefined` for a choice that only some vendor knows. */
export function parseToolChoice(body: JsonObject): ToolChoice | undefined {
  const choice = body["tool_choice"] ?? body["function_call"];
  if (choice === "auto" || choice === "none" || choice === "required") return { mode: choice };
  if (choice === "any") return { mode: "required" };

  const allowed = memberOf(choice, "allowed_tools");
  if (isObject(allowed)) {
    const tools = listOf(allowed["tools"]).filter(isObject);
    return { mode: "allowed", required: allowed["mode"] === "required", tools };
  }
  const custom = textOf(memberOf(memberOf(choice, "custom"), "name"));
  if (custom !== undefined) return { mode: "named", name: custom, kind: "custom" };
  const name = textOf(memberOf(memberOf(choice, "function"), "name") ?? memberOf(choice, "name"));
  return name === undefined ? undefined : { mode: "named", name, kind: "function" };
}

/** The caller wrote `functions`, which came before tools, and expects a `function_call` back. */
function isLegacy(body: JsonObject): boolean {
  return listOf(body["functions"]).length > 0 && listOf(body["tools"]).length === 0;
}

const TOOL_MEMBERS = new Set(["type", "function", "custom"]);
const FUNCTION_MEMBERS = new Set(["name", "description", "parameters", "strict"]);
const CUSTOM_MEMBERS = new Set(["name", "description", "format"]);

/** Tools of a type that is not ours are kept apart, to be carried or reported. */
function parseTools(body: JsonObject): { known?: readonly Tool[]; unknown?: readonly Json[] } {
  const wire = isLegacy(body)
    ? listOf(body["functions"]).map((one) => ({ type: "function", function: one }))
    : listOf(body["tools"]);
  const known: Tool[] = [];
  const unknown: Json[] = [];
  for (const one of wire) {
    const tool = isObject(one) ? parseTool(one) : undefined;
    if (tool === undefined) unknown.push(one);
    else known.push(tool);
  }
  return defined({
    known: known.length === 0 ? undefined : known,
    unknown: unknown.length === 0 ? undefined : unknown,
  });
}

function parseTool(tool: JsonObject): Tool | undefined {
  const type = tool["type"] ?? "function";
  const body = type === "function" || type === "custom" ? tool[type] : undefined;
  const name = textOf(memberOf(body, "name"));
  if (!isObject(body) || name === undefined) return undefined;
  const kind = type === "custom" ? "custom" : "function";
  const inner = restOf(body, kind === "custom" ? CUSTOM_MEMBERS : FUNCTION_MEMBERS);
  const outer = restOf(tool, TOOL_MEMBERS);
  return {
    kind,
    name,
    ...defined({
      description: textOf(body["description"]),
      parameters: objectOf(body["parameters"]),
      strict: flagOf(body["strict"]),
      format: kind === "custom" ? objectOf(body["format"]) : undefined,
      extra:
        inner === undefined && outer === undefined
          ? undefined
          : { [CHAT]: { ...outer, ...(inner === undefined ? {} : { [kind]: inner }) } },
    }),
  };
}

function extraOf(
  body: JsonObject,
  unknown: Readonly<Record<string, Json | undefined>>,
): ChatRequest["extra"] {
  const rest = { ...restOf(body, READ_MEMBERS), ...withoutReasoning(body), ...defined(unknown) };
  return Object.keys(rest).length === 0 ? undefined : { [CHAT]: rest };
}

function spellingOf(body: JsonObject): ChatRequest["spelling"] {
  const written = pick(body, SPELLED_MEMBERS);
  if (isLegacy(body)) written["functions"] = true;
  return { [CHAT]: written };
}
