import { jsonText, type JsonObject } from "../json.ts";
import { type ApiError, invalid } from "../openai/error.ts";
import {
  checkLimit,
  functionsIn,
  messagesIn,
  thinkingModel,
  thinkingTypeIn,
  type ThinkingModel,
} from "../openai/thinking-vendor.ts";

/** All three names of flash answer with one model. */
export const DEEPSEEK_MODELS: readonly ThinkingModel[] = [
  "deepseek-flash",
  "deepseek-v4-flash",
  "deepseek-v4-flash-vision-exp",
  "deepseek-v4-pro",
].map((id) => thinkingModel(id, 1_000_000, 393_216));

export function isThinking(body: JsonObject): boolean {
  return thinkingTypeIn(body) !== "disabled";
}

export function check(body: JsonObject, model: ThinkingModel, isBeta: boolean): void {
  checkThinking(body);
  checkReasoningBack(body);
  if (!isBeta) checkBeta(body);
  const strict = functionsIn(body).filter((each) => each["strict"] === true).length;
  if (strict > 0 && strict < functionsIn(body).length)
    throw refused("All functions must be strict if one of them is.");
  const format = body["response_format"];
  if (typeof format === "object" && JSON.stringify(format).includes("json_schema"))
    throw refused("This response_format type is unavailable now");
  checkLimit(body, model, (name, range) =>
    refused(`Invalid ${name} value, the valid range of ${name} is ${range}`),
  );
}

function checkThinking(body: JsonObject): void {
  const type = thinkingTypeIn(body);
  if (type !== undefined && type !== "enabled" && type !== "disabled")
    throw refused(`thinking.type: unknown variant \`${jsonText(type)}\``);
  const effort = body["reasoning_effort"] ?? undefined;
  if (effort !== undefined && type === "disabled")
    throw refused("reasoning_effort cannot be used with thinking.type disabled");
  if (effort !== undefined && !EFFORTS.some((each) => each === effort))
    throw refused(`reasoning_effort: unknown variant \`${jsonText(effort)}\``);
  const choice = body["tool_choice"] ?? undefined;
  const isForced = choice === "required" || typeof choice === "object";
  if (isForced && isThinking(body))
    throw refused("Thinking mode does not support this tool_choice");
}

/** The weaker ones are read as high. */
const EFFORTS = ["low", "medium", "high", "xhigh", "max"];

function checkReasoningBack(body: JsonObject): void {
  if (!isThinking(body) || functionsIn(body).length === 0) return;
  const isLacking = messagesIn(body).some(
    (each) => each["role"] === "assistant" && typeof each["reasoning_content"] !== "string",
  );
  if (isLacking)
    throw refused("The `reasoning_content` in the thinking mode must be passed back to the API.");
}

function checkBeta(body: JsonObject): void {
  if (functionsIn(body).some((each) => each["strict"] === true))
    throw refused("Strict function calling is available at the beta base URL only.");
  if (messagesIn(body).at(-1)?.["prefix"] === true)
    throw refused("Chat prefix completion is available at the beta base URL only.");
}

function refused(message: string): ApiError {
  return invalid(null, "invalid_request_error", message);
}
