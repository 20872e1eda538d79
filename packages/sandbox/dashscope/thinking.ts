import type { JsonObject } from "../json.ts";
import type { Thinking } from "../openai/dialect.ts";
import { field, readBoolean, readInteger } from "../openai/fields.ts";
import { refused, refusedByModel } from "./error.ts";
import type { QwenModel } from "./models.ts";

/** Whether a request is one for which the model thinks. */
function isThinking(body: JsonObject, model: QwenModel): boolean {
  if (model.thinking === "never") return false;
  if (model.thinking === "always") return true;
  if (body["reasoning_effort"] === "none") return false;
  return readBoolean(field(body, "enable_thinking")) ?? model.thinksByDefault;
}

export function checkThinking(body: JsonObject, model: QwenModel): void {
  const enabled = readBoolean(field(body, "enable_thinking"));
  const isStream = body["stream"] === true;
  if (model.isStreamOnly && !isStream)
    throw refused(
      "This model only support stream mode, please enable the stream parameter to access the model. ",
    );
  if (model.thinking === "always" && enabled === false)
    throw refusedByModel("The value of the enable_thinking parameter is restricted to True.");

  checkBudget(body, model);
  checkEffort(body, model);
  if (!isThinking(body, model)) return;
  if (!isStream && !model.thinksInOnePiece)
    throw refused("parameter.enable_thinking must be set to false for non-streaming calls");
  const choice = body["tool_choice"];
  if (choice === "required" || (typeof choice === "object" && choice !== null))
    throw refusedByModel(
      "The tool_choice parameter does not support being set to required or object in thinking mode",
    );
  const format = body["response_format"];
  if (typeof format === "object" && format !== null && "type" in format && format.type !== "text")
    throw refusedByModel("Json mode response is not supported when enable_thinking is true");
}

function checkBudget(body: JsonObject, { maxThinkingTokens }: QwenModel): void {
  const budget = body["thinking_budget"] ?? undefined;
  if (budget === undefined) return;
  const isWhole = typeof budget === "number" && Number.isInteger(budget);
  if (isWhole && budget > 0 && budget <= maxThinkingTokens) return;
  throw refusedByModel(
    `The thinking_budget parameter must be a positive integer and not greater than ${maxThinkingTokens}`,
  );
}

/** The least effort has another name here than with the vendor of the protocol. */
function checkEffort(body: JsonObject, { isGraded }: QwenModel): void {
  const effort = body["reasoning_effort"] ?? undefined;
  const known = isGraded ? ALL_EFFORTS : EFFORTS;
  if (isGraded && effort !== undefined && effort !== "none" && body["enable_thinking"] === false)
    throw refusedByModel("reasoning_effort cannot be used when enable_thinking is false.");
  if (effort === undefined || known.some((each) => each === effort)) return;
  const list = known.map((each) => `'${each}'`).join(", ");
  throw refusedByModel(`'reasoning_effort.effort' must be one of: ${list}`);
}

const ALL_EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
const EFFORTS = ["none", "minimum", "low", "medium", "high", "xhigh"] as const;

/** The limit of the answer does not count the thoughts, which have a budget of their own. */
export function readThinking(body: JsonObject, model: QwenModel): Thinking {
  if (!isThinking(body, model)) return { effort: "none" };
  const asked = [...EFFORTS, ...ALL_EFFORTS].find((each) => each === body["reasoning_effort"]);
  const effort = asked === undefined || asked === "none" ? model.usualEffort : asked;
  const budget = readInteger(field(body, "thinking_budget"), 1, model.maxThinkingTokens);
  return {
    effort: effort === "minimum" ? "minimal" : effort,
    limitCovers: "answer",
    ...(budget === undefined ? {} : { maxReasoningTokens: budget }),
  };
}
