import type { ReasoningEffort } from "../engine/conversation.ts";
import { invalid } from "./error.ts";
import type { Model, ThinkingLevel, ThinkingLimits } from "./models.ts";
import type { ThinkingConfig } from "./proto/generation-config.ts";

/** How long the model thinks, and whether the caller sees what. */
export interface Thinking {
  readonly effort: ReasoningEffort;
  readonly maxTokens?: number;
  readonly isShown: boolean;
}

export function readThinking(config: ThinkingConfig | undefined, model: Model): Thinking {
  const { thinking, id } = model;
  if (thinking === undefined) {
    if (config === undefined || Object.keys(config).length === 0)
      return { effort: "none", isShown: false };
    throw invalid(`Thinking is not enabled for models/${id}`);
  }

  const { includeThoughts: isShown = false, thinkingBudget, thinkingLevel } = config ?? {};
  if (thinkingBudget !== undefined && thinkingLevel !== undefined)
    throw invalid("You can only set only one of thinking budget and thinking level.");
  const asked =
    thinkingLevel !== undefined
      ? { effort: effortOfLevel(thinkingLevel, thinking) }
      : effortOfBudget(thinkingBudget, thinking);
  if (asked.effort === "none" && isShown) {
    throw invalid(
      "Unable to submit request because Thinking_config.include_thoughts is only enabled when thinking is enabled.",
    );
  }
  return { ...asked, isShown };
}

function effortOfLevel(level: ThinkingLevel, { levels, usually }: ThinkingLimits): ReasoningEffort {
  if (levels.length === 0) throw invalid("Thinking level is not supported for this model.");
  if (level === "THINKING_LEVEL_UNSPECIFIED") return usually;
  if (levels.includes(level)) return EFFORTS[level];
  throw invalid(
    `Thinking level ${level} is not supported for this model. Please retry with other thinking level.`,
  );
}

const EFFORTS = {
  MINIMAL: "minimal",
  LOW: "low",
  MEDIUM: "medium",
  HIGH: "high",
  XHIGH: "xhigh",
} as const;

/** That Gemini 4 refuses budgets is documented, its words are doubtful. */
function effortOfBudget(
  tokens: number | undefined,
  { budget, usually }: ThinkingLimits,
): Omit<Thinking, "isShown"> {
  if (tokens === undefined) return { effort: usually };
  if (budget === undefined)
    throw invalid("Thinking budget is not supported for this model. Please use thinking level.");
  if (tokens === -1) return { effort: usually === "none" ? "medium" : usually };
  if (tokens === 0) {
    if (budget.canBeOff) return { effort: "none" };
    throw invalid("Budget 0 is invalid. This model only works in thinking mode.");
  }
  if (tokens < budget.min || tokens > budget.max) {
    throw invalid(
      `The thinking budget (${tokens}) is invalid. Please choose a value between ${budget.min} and ${budget.max}.`,
    );
  }
  const effort = tokens <= 1_024 ? "low" : tokens <= 8_192 ? "medium" : "high";
  return { effort, maxTokens: tokens };
}
