import type { ChatRequest, OutputFormat } from "#core/chat.ts";
import type { CallWants, RequestFacts } from "#core/style.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import {
  defined,
  integerOf,
  listOf,
  numberOf,
  objectOf,
  pick,
  restOf,
  textOf,
} from "#lib/values.ts";
import { parseMessages } from "./content-in.ts";
import { camelized } from "./names.ts";
import { parseReasoning } from "./reasoning-in.ts";
import { fromSchemaSubset } from "./schema-in.ts";
import { CONFIG, GEMINI, TOOL_CONFIG } from "./spelling.ts";
import { isValidated, parseToolChoice, parseTools, type ReadTools } from "./tool-in.ts";

/** Of a body that `readRequest` has let through; its model stands in the path. */
export function parseRequest(written: JsonObject, facts: RequestFacts): ChatRequest {
  const body = camelized(written);
  const config = objectOf(body["generationConfig"]) ?? {};
  const tools = parseTools(body["tools"]);
  return {
    model: facts.model,
    messages: parseMessages(body),
    stream: facts.stream,
    sampling: defined({
      temperature: numberOf(config["temperature"]),
      topP: numberOf(config["topP"]),
      topK: numberOf(config["topK"]),
      presencePenalty: numberOf(config["presencePenalty"]),
      frequencyPenalty: numberOf(config["frequencyPenalty"]),
      seed: integerOf(config["seed"]),
    }),
    ...defined({
      maxOutputTokens: integerOf(config["maxOutputTokens"]),
      stop: parseStop(config),
      choices: integerOf(config["candidateCount"]),
      tools: tools.functions,
      toolChoice: parseToolChoice(body["toolConfig"]),
      format: parseFormat(config),
      reasoning: parseReasoning(config["thinkingConfig"]),
      logprobs: parseLogprobs(config),
      modalities: parseModalities(config),
      picture: parsePicture(config),
      webSearch: tools.webSearch,
      extra: extraOf(body, config, tools),
    }),
    spelling: { [GEMINI]: pick(body, ["generationConfig", "tools", "toolConfig"]) },
  };
}

export function wantsOf(written: JsonObject): CallWants {
  const { tools: wire, generationConfig } = camelized(pick(written, WANT_MEMBERS));
  const tools = parseTools(wire);
  return {
    hasTools: tools.functions !== undefined,
    searches: tools.webSearch !== undefined,
    reasoning: parseReasoning(objectOf(generationConfig)?.["thinkingConfig"]),
  };
}

const WANT_MEMBERS = ["tools", "generationConfig", "generation_config"];

export function parseStop(config: JsonObject): readonly string[] | undefined {
  const stops = listOf(config["stopSequences"]).filter((one) => typeof one === "string");
  return stops.length === 0 ? undefined : stops;
}

export function parseLogprobs(config: JsonObject): ChatRequest["logprobs"] {
  if (config["responseLogprobs"] !== true) return undefined;
  return defined({ top: integerOf(config["logprobs"]) });
}

export function parseModalities(config: JsonObject): ChatRequest["modalities"] {
  const known = listOf(config["responseModalities"])
    .map((one) => (typeof one === "string" ? one.toLowerCase() : one))
    .filter((one) => one === "text" || one === "audio" || one === "image");
  return known.length === 0 ? undefined : known;
}

export function parsePicture(config: JsonObject): ChatRequest["picture"] {
  const wanted = objectOf(config["imageConfig"]);
  const wish = defined({
    aspectRatio: textOf(wanted?.["aspectRatio"]),
    size: textOf(wanted?.["imageSize"]),
  });
  return Object.keys(wish).length === 0 ? undefined : wish;
}

/** `undefined` for a format that only this style knows. */
export function parseFormat(config: JsonObject): OutputFormat | undefined {
  const type = config["responseMimeType"] ?? undefined;
  const schema = schemaIn(config);
  if (type === "text/plain") return { type: "text" };
  if (type === ENUM) return choiceOf(schema);
  if (type !== undefined && type !== "application/json") return undefined;
  if (schema !== undefined) return { type: "json_schema", name: "response", schema };
  return type === undefined ? undefined : { type: "json" };
}

const ENUM = "text/x.enum";

/** Elsewhere an answer has a field for it. */
function choiceOf(schema: JsonObject | undefined): OutputFormat | undefined {
  const choices = listOf(schema?.["enum"]).filter((one) => typeof one === "string");
  if (choices.length === 0) return undefined;
  const only = "choice";
  return {
    type: "json_schema",
    name: "choice",
    schema: {
      type: "object",
      properties: { [only]: { type: "string", enum: choices } },
      required: [only],
      additionalProperties: false,
    },
    strict: true,
    only,
  };
}

function schemaIn(config: JsonObject): JsonObject | undefined {
  const subset = objectOf(config["responseSchema"]);
  return (
    objectOf(config["responseJsonSchema"]) ??
    objectOf(config["_responseJsonSchema"]) ??
    (subset === undefined ? undefined : fromSchemaSubset(subset))
  );
}

const READ: ReadonlySet<string> = new Set([
  "model",
  "contents",
  "systemInstruction",
  "generationConfig",
  "tools",
  "toolConfig",
]);

const READ_CONFIG: ReadonlySet<string> = new Set([
  "temperature",
  "topP",
  "topK",
  "presencePenalty",
  "frequencyPenalty",
  "seed",
  "maxOutputTokens",
  "stopSequences",
  "candidateCount",
  "responseLogprobs",
  "logprobs",
  "responseModalities",
  "imageConfig",
  "thinkingConfig",
]);
const READ_PICTURE: ReadonlySet<string> = new Set(["aspectRatio", "imageSize"]);

export const FORMAT_MEMBERS = [
  "responseMimeType",
  "responseSchema",
  "responseJsonSchema",
  "_responseJsonSchema",
] as const;

const READ_TOOL_CONFIG: ReadonlySet<string> = new Set(["functionCallingConfig"]);

/** What the hub has no place for, by the names under which a report shows it. */
function extraOf(body: JsonObject, config: JsonObject, tools: ReadTools): ChatRequest["extra"] {
  const isKnownFormat = parseFormat(config) !== undefined;
  const read = isKnownFormat ? new Set([...READ_CONFIG, ...FORMAT_MEMBERS]) : READ_CONFIG;
  const extra = {
    ...filled(restOf(body, READ), ""),
    ...filled(restOf(config, read), CONFIG),
    ...filled(restOf(objectOf(config["imageConfig"]) ?? {}, READ_PICTURE), `${CONFIG}imageConfig.`),
    ...filled(restOf(objectOf(body["toolConfig"]) ?? {}, READ_TOOL_CONFIG), TOOL_CONFIG),
    ...(asksForVideo(config)
      ? { [`${CONFIG}responseModalities`]: config["responseModalities"] ?? null }
      : {}),
    ...(isValidated(body["toolConfig"]) ? { [CALLING_MODE]: "VALIDATED" } : {}),
    ...defined({ tools: tools.others, "tools.googleSearch": tools.searchConfig }),
  };
  return Object.keys(extra).length === 0 ? undefined : { [GEMINI]: extra };
}

/** Says what other styles lose; here the choice is written with it. */
const CALLING_MODE = `${TOOL_CONFIG}functionCallingConfig.mode`;

/** The hub has no place for it. */
function asksForVideo(config: JsonObject): boolean {
  const asked = listOf(config["responseModalities"]);
  return asked.some((one) => typeof one === "string" && one.toUpperCase() === "VIDEO");
}

/** Many clients write every member they know; an empty one asks for nothing. */
function filled(members: JsonObject | undefined, prefix: string): Record<string, Json> {
  const kept: Record<string, Json> = {};
  for (const [name, value] of Object.entries(members ?? {})) {
    if (value !== undefined && !isEmpty(value)) kept[prefix + name] = value;
  }
  return kept;
}

function isEmpty(value: Json): boolean {
  if (isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}
