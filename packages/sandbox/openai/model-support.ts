import type { Json, JsonObject } from "../json.ts";
import { invalid } from "./error.ts";
import { field } from "./fields.ts";
import type { Model } from "./models.ts";

/** Parameters that are right in themselves, and wrong for this model. */
export function checkSupport(body: JsonObject, model: Model): void {
  if (model.isStrict) checkReasoningModel(body, model);
  if (model.prefersResponses === true) checkTools(body, model);
  checkLimit(body, model);
  if (model.owner === "deepseek") checkFormat(body);
  if (model.id === "deepseek-reasoner") {
    for (const name of ["logprobs", "top_logprobs"]) rejectParameter(body, name);
  }

  const { value } = field(body, "reasoning_effort");
  if (value === undefined) return;
  if (model.thinks === "never") rejectParameter(body, "reasoning_effort");
  const efforts = model.chatEfforts ?? model.efforts;
  if (typeof value === "string" && !efforts.some((effort) => effort === value)) {
    const list = efforts.map((effort) => `'${effort}'`).join(", ");
    throw invalid(
      "reasoning_effort",
      "unsupported_value",
      `Unsupported value: 'reasoning_effort' does not support '${value}' with this model. Supported values are: ${list}.`,
    );
  }
}

function checkLimit(body: JsonObject, { maxOutputTokens = Infinity }: Model): void {
  for (const name of ["max_tokens", "max_completion_tokens"]) {
    const { value } = field(body, name);
    if (typeof value !== "number" || value <= maxOutputTokens) continue;
    throw invalid(
      name,
      "invalid_value",
      `${name} is too large: ${value}. This model supports at most ${maxOutputTokens} completion tokens, whereas you provided ${value}.`,
    );
  }
}

/** The other vendor knows objects only: https://api-docs.deepseek.com/guides/json_mode */
function checkFormat(body: JsonObject): void {
  const format = body["response_format"];
  const isSchema =
    typeof format === "object" &&
    format !== null &&
    "type" in format &&
    format.type === "json_schema";
  if (isSchema) {
    throw invalid(
      "response_format",
      "invalid_request_error",
      "This response_format type is unavailable now",
    );
  }
}

function checkReasoningModel(body: JsonObject, model: Model): void {
  rejectParameter(body, "max_tokens", "Use 'max_completion_tokens' instead.");
  // From gpt-5.1 on, a model that does not think samples as the others do.
  if ((field(body, "reasoning_effort").value ?? model.usualEffort) === "none") return;
  for (const [name, allowed] of FIXED) {
    const { value } = field(body, name);
    if (value !== undefined && value !== allowed) throw unsupportedValue(name, value, allowed);
  }
  for (const name of ["logprobs", "top_logprobs", "logit_bias", "stop"])
    rejectParameter(body, name);
}

/** From gpt-5.4 on; an effort that is left out counts as one. */
function checkTools(body: JsonObject, model: Model): void {
  rejectParameter(body, "web_search_options");
  const { value: tools } = field(body, "tools");
  const { value: functions } = field(body, "functions");
  if ((tools ?? functions) === undefined) return;
  if (field(body, "reasoning_effort").value === "none" && model.efforts.includes("none")) return;
  throw invalid(
    "reasoning_effort",
    null,
    `Function tools with reasoning_effort are not supported for ${model.id} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
  );
}

const FIXED: readonly (readonly [string, number])[] = [
  ["temperature", 1],
  ["top_p", 1],
  ["presence_penalty", 0],
  ["frequency_penalty", 0],
];

function unsupportedValue(name: string, value: Json, allowed: number): Error {
  const message = `Unsupported value: '${name}' does not support ${JSON.stringify(value)} with this model. Only the default (${allowed}) value is supported.`;
  return invalid(name, "unsupported_value", message);
}

function rejectParameter(body: JsonObject, name: string, advice = ""): void {
  if (field(body, name).value === undefined) return;
  throw invalid(
    name,
    "unsupported_parameter",
    `Unsupported parameter: '${name}' is not supported with this model. ${advice}`.trim(),
  );
}
