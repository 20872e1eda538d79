import type { ChatRequest, OutputFormat } from "#core/chat.ts";
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
import { parseMessages } from "./message-in.ts";
import { parseTemperature, parseTopP, restOfParameters } from "./parameters.ts";
import { parsePicture, restOfPicture } from "./picture.ts";
import { parseReasoning, withoutReasoning } from "./reasoning-in.ts";
import { isSearchTool } from "./search-tools.ts";
import { CHAT, READ_MEMBERS, SPELLED_MEMBERS } from "./spelling.ts";
import { isLegacy, parseToolChoice, parseTools, type ReadTools } from "./tool-in.ts";
import { vendorNames, vendorTools } from "./vendor-members.ts";
import { parseWebSearch } from "./web-search.ts";

/** Of a body that `readRequest` has let through. */
export function parseRequest(body: JsonObject): ChatRequest {
  const tools = parseTools(body);
  return {
    model: textOf(body["model"]) ?? "",
    messages: parseMessages(listOf(body["messages"])),
    stream: body["stream"] === true,
    sampling: defined({
      temperature: parseTemperature(body),
      topP: parseTopP(body),
      topK: parseTopK(body),
      presencePenalty: numberOf(body["presence_penalty"]),
      frequencyPenalty: numberOf(body["frequency_penalty"]),
      seed: integerOf(body["seed"]) ?? integerOf(body["random_seed"]),
    }),
    ...defined({
      maxOutputTokens: parseLimit(body),
      stop: parseStop(body),
      choices: integerOf(body["n"]),
      tools: tools.known,
      toolChoice: parseToolChoice(body),
      // Callers of the older form have room for one call only.
      parallelToolCalls: isLegacy(body) ? false : flagOf(body["parallel_tool_calls"]),
      format: parseFormat(body),
      reasoning: parseReasoning(body),
      logprobs: parseLogprobs(body),
      modalities: parseModalities(body),
      picture: parsePicture(body),
      webSearch: parseWebSearch(body) ?? (tools.search === undefined ? undefined : {}),
      user: textOf(body["user"]),
      metadata: objectOf(body["metadata"]),
      extra: extraOf(body, tools),
      spelling: spellingOf(body, tools),
    }),
  };
}

/** Lists of tools are not read further: any tool counts, and the older functions do, too. */
export function wantsOf(body: JsonObject): CallWants {
  const tools = [...listOf(body["tools"]), ...listOf(body["functions"])];
  return {
    hasTools: tools.some((tool) => !isSearchTool(tool)),
    searches: parseWebSearch(body) !== undefined,
    reasoning: parseReasoning(body),
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

/** What of a vendor's own object the hub has a place for. */
const VENDOR_MEMBERS = ["thinking_config", "tools", "image_config"];

/**
 * What the hub has no place for. A vendor's own tools are in the words of that
 * vendor's native style, so that its upstreams get them.
 */
function extraOf(body: JsonObject, tools: ReadTools): ChatRequest["extra"] {
  const own = {
    ...restOf(body, new Set([...READ_MEMBERS, ...vendorNames(body)])),
    ...withoutReasoning(body, VENDOR_MEMBERS),
    ...restOfParameters(body),
    ...restOfPicture(body),
    ...defined({
      tools: tools.unknown,
      tool_choice: parseToolChoice(body) === undefined ? body["tool_choice"] : undefined,
      response_format: parseFormat(body) === undefined ? body["response_format"] : undefined,
    }),
  };
  const native = vendorTools(body).others;
  if (Object.keys(own).length === 0 && native.length === 0) return undefined;
  return {
    ...(Object.keys(own).length === 0 ? {} : { [CHAT]: own }),
    ...(native.length === 0 ? {} : { gemini: { tools: native } }),
  };
}

function spellingOf(body: JsonObject, tools: ReadTools): ChatRequest["spelling"] {
  const written: Record<string, Json> = pick(body, [...SPELLED_MEMBERS, ...vendorNames(body)]);
  if (isLegacy(body)) written["functions"] = true;
  if (tools.search !== undefined) written["tools"] = tools.search;
  return { [CHAT]: written };
}
