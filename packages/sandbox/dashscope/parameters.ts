import { isJsonArray, isJsonObject, parseJson, type Json, type JsonObject } from "../json.ts";
import { field, readBoolean, readChoice, readObject } from "../openai/fields.ts";
import { refusedByModel } from "./error.ts";
import type { QwenModel } from "./models.ts";

/** Ranges that differ from the protocol's, and fields that only this vendor has. */
export function checkParameters(body: JsonObject, model: QwenModel): void {
  checkNumbers(body, model);
  checkMessages(body);
  checkTools(body);
  checkSearch(body);
  if (model.transcribes) checkRecording(body);
}

function checkNumbers(body: JsonObject, { maxOutputTokens }: QwenModel): void {
  const rules: readonly Rule[] = [
    ["max_tokens", (value) => value >= 1 && value <= maxOutputTokens, `[1, ${maxOutputTokens}]`],
    ["temperature", (value) => value >= 0 && value < 2, "[0.0, 2.0)"],
    ["top_p", (value) => value > 0 && value < 1, "(0.0, 1.0)"],
    ["top_k", (value) => value >= 0, "[0, +∞)"],
    ["n", (value) => value >= 1 && value <= 4, "[1, 4]"],
    ["top_logprobs", (value) => value >= 0 && value <= 5, "[0, 5]"],
    ["seed", (value) => value >= 0 && value < 2 ** 31, "[0, 2147483647]"],
    ["repetition_penalty", (value) => value > 0, "(0.0, +∞)"],
  ];
  for (const [name, isInside, range] of rules) {
    const { value } = field(body, name);
    if (value === undefined || (typeof value === "number" && isInside(value))) continue;
    throw refusedByModel(`Range of ${name} should be ${range}`);
  }
}

type Rule = readonly [name: string, isInside: (value: number) => boolean, range: string];

function checkMessages(body: JsonObject): void {
  const messages = isJsonArray(body["messages"]) ? body["messages"] : [];
  for (const [index, message] of messages.entries()) {
    if (!isJsonObject(message)) continue;
    const { role } = message;
    if (typeof role === "string" && !ROLES.includes(role)) {
      const list = ROLES.map((each) => `'${each}'`).join(", ");
      throw refusedByModel(`${role} is not one of [${list}] - 'messages.[${index}].role'`);
    }
    const calls = isJsonArray(message["tool_calls"]) ? message["tool_calls"] : [];
    if (calls.some((call) => !hasJsonArguments(call)))
      throw refusedByModel(
        'The "function.arguments" parameter of the code model must be in JSON format.',
      );
  }
}

const ROLES: readonly string[] = ["system", "assistant", "user", "tool", "function"];

function hasJsonArguments(call: Json): boolean {
  const inner = isJsonObject(call) ? call["function"] : undefined;
  const written = isJsonObject(inner) ? inner["arguments"] : undefined;
  return typeof written !== "string" || parseJson(written) !== undefined;
}

function checkTools(body: JsonObject): void {
  const tools = isJsonArray(body["tools"]) ? body["tools"] : [];
  const isOther = (tool: Json) => isJsonObject(tool) && tool["type"] !== "function";
  if (tools.some(isOther))
    throw refusedByModel("The type of each tool in tools must be 'function'.");
  if (tools.length > 0 && Number(body["n"] ?? 1) > 1)
    throw refusedByModel("The n parameter must be 1 when tools are specified.");
}

function checkSearch(body: JsonObject): void {
  readBoolean(field(body, "enable_search"));
  const options = readObject(field(body, "search_options")) ?? {};
  for (const name of [
    "forced_search",
    "enable_source",
    "enable_citation",
    "enable_search_extension",
  ])
    readBoolean(field(options, name, `search_options.${name}`));
  readChoice(field(options, "search_strategy", "search_options.search_strategy"), [
    "turbo",
    "max",
    "standard",
    "pro",
    "agent",
    "agent_max",
  ]);
}

function checkRecording(body: JsonObject): void {
  const options = readObject(field(body, "asr_options")) ?? {};
  readBoolean(field(options, "enable_itn", "asr_options.enable_itn"));
  readBoolean(field(options, "enable_lid", "asr_options.enable_lid"));
  readChoice(field(options, "language", "asr_options.language"), LANGUAGES);
  const messages = isJsonArray(body["messages"]) ? body["messages"] : [];
  const parts = messages.flatMap((message) =>
    isJsonObject(message) && isJsonArray(message["content"]) ? message["content"] : [],
  );
  if (!parts.some((part) => isJsonObject(part) && part["type"] === "input_audio"))
    throw refusedByModel("The input messages do not contain an audio.");
}

const LANGUAGES = [
  "zh",
  "yue",
  "en",
  "ja",
  "de",
  "ko",
  "ru",
  "fr",
  "pt",
  "ar",
  "it",
  "es",
  "hi",
  "id",
  "th",
  "tr",
  "uk",
  "vi",
  "cs",
  "da",
  "fil",
  "fi",
  "is",
  "ms",
  "no",
  "pl",
  "sv",
] as const;
