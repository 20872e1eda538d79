import { invalid, type GatewayError } from "#core/error.ts";
import type { RequestFacts } from "#core/style.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { integerOf, listOf, textOf } from "#lib/values.ts";
import { validate } from "#core/validate.ts";
import { askedFor, keepsLong } from "#styles/text/asked-for.ts";
import { REQUEST } from "./fields.ts";

/** Runs on every call, so what it does not need it does not look at. */
export function readRequest(body: JsonObject): RequestFacts {
  const unknownValue = validate(body, REQUEST) ?? resultWithoutCall(body["input"]);
  checkInput(body);
  listOf(body["tools"]).forEach(checkTool);
  checkToolChoice(body["tool_choice"]);
  if (body["background"] === true) {
    throw invalid(
      "background",
      "'background' must be false: background responses are not supported.",
    );
  }

  const { input } = body;
  return {
    model: textOf(body["model"]) ?? "",
    stream: body["stream"] === true,
    maxOutputTokens: integerOf(body["max_output_tokens"]),
    choices: 1,
    messages: typeof input === "string" ? 1 : listOf(input).length,
    // The last event of a stream holds it anyway.
    wantsUsage: true,
    ...askedFor({ serviceTier: body["service_tier"] }, keepsLong(body["prompt_cache_options"])),
    ...(unknownValue && { unknownValue }),
  };
}

/** What stands in for a question that is not in the request itself. */
const ELSEWHERE = ["previous_response_id", "conversation", "prompt"] as const;

function checkInput(body: JsonObject): void {
  const { input } = body;
  const isMissing = input === undefined || input === null;
  const items = listOf(input);
  if (isMissing || (typeof input !== "string" && items.length === 0)) {
    const isElsewhere = ELSEWHERE.some((name) => (body[name] ?? "") !== "");
    if (!isElsewhere) throw invalid("input", `'input' ${isMissing ? "is required" : "is empty"}.`);
  }
  items.forEach(checkItem);
}

/** An item without a type is told by its members. */
function checkItem(item: Json, index: number): void {
  if (!isObject(item) || (item["type"] ?? "") !== "") return;
  if (lacks(item["role"]) && lacks(item["content"]) && !lacks(item["id"])) return;
  for (const name of ["role", "content"]) {
    if (lacks(item[name])) {
      throw invalid(`input[${index}].${name}`, `'input[${index}].${name}' is required.`);
    }
  }
}

/** The vendor takes results that name their tool and no call; nobody else knows such. */
function resultWithoutCall(input: Json | undefined): GatewayError | undefined {
  const index = listOf(input).findIndex(
    (item) => isObject(item) && item["type"] === "function_call_output" && lacks(item["call_id"]),
  );
  if (index < 0) return undefined;
  const param = `input[${index}].call_id`;
  return invalid(param, `'${param}' is required.`);
}

function lacks(member: Json | undefined): boolean {
  return member === undefined || member === null;
}

function checkToolChoice(choice: Json | undefined): void {
  if (!isObject(choice) || choice["type"] !== "function") return;
  if (typeof choice["name"] === "string" || isObject(choice["function"])) return;
  throw invalid("tool_choice.name", "'tool_choice.name' is required.");
}

/** Two forms of a function are in use, and each has its name in another place. */
function checkTool(tool: Json, index: number): void {
  if (!isObject(tool)) return;
  const type = tool["type"] ?? "function";
  if (type !== "function" && type !== "custom") return;
  const isNested = type === "function" && isObject(tool["function"]);
  if (isNested || typeof tool["name"] === "string") return;
  throw invalid(`tools[${index}].name`, `'tools[${index}].name' is required.`);
}
