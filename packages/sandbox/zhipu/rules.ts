import type { JsonObject } from "../json.ts";
import { type ApiError, invalid } from "../openai/error.ts";
import {
  checkLimit,
  thinkingModel,
  thinkingTypeIn,
  type ThinkingModel,
} from "../openai/thinking-vendor.ts";

export const GLMS: readonly ThinkingModel[] = [
  ...["glm-5.3", "glm-5.3-flash", "glm-5.3-flashx"].map((id) =>
    thinkingModel(id, 1_048_576, 131_072),
  ),
  thinkingModel("glm-5.1", 200_000, 131_072),
];

export function isThinking(body: JsonObject): boolean {
  return thinkingTypeIn(body) !== "disabled";
}

/** Autumn 2026's reports tell what GLM-5.3 refuses; only the words for a limit are known, others are doubtful. */
export function check(body: JsonObject, model: ThinkingModel): void {
  if (model.id.startsWith("glm-5.3")) {
    if (!isThinking(body))
      throw refused("thinking.type disabled is not supported by the current model");
    const effort = body["reasoning_effort"] ?? undefined;
    if (effort !== undefined && !["low", "high", "max"].some((each) => each === effort))
      throw refused("reasoning_effort must be one of low, high, max");
  }
  checkLimit(body, model, (name, range) => refused(`${name} is out of range ${range}`));
}

function refused(message: string): ApiError {
  return invalid(null, null, message);
}
