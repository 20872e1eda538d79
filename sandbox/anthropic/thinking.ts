import type { ReasoningEffort } from "#sandbox/engine/conversation.ts";
import type { JsonObject } from "#sandbox/json.ts";
import { invalid } from "./error.ts";
import { field, readChoice, readInteger, readTagged, refuseExtras, required } from "./fields.ts";
import type { Betas } from "./request-headers.ts";

/** What the caller said about thinking, if anything. */
export interface Thinking {
  readonly mode: "unsaid" | "disabled" | "enabled" | "adaptive";
  readonly budgetTokens: number | undefined;
  readonly display: "summarized" | "omitted" | undefined;
}

export function readThinking(
  body: JsonObject,
  maxTokens: number | undefined,
  betas: Betas,
): Thinking {
  const at = field(body, "thinking");
  if (at.value === undefined)
    return { mode: "unsaid", budgetTokens: undefined, display: undefined };
  const { object, tag, path } = readTagged(at, ["adaptive", "disabled", "enabled"]);
  refuseExtras(object, FIELDS[tag], path);
  const display = readChoice(field(object, "display", path), ["summarized", "omitted"]);
  if (tag !== "enabled") return { mode: tag, budgetTokens: undefined, display };

  const budgetTokens = required(field(object, "budget_tokens", path), (each) =>
    readInteger(each, MIN_BUDGET),
  );
  // Between the calls of tools a model may think more than one answer holds.
  const isBounded = maxTokens !== undefined && !betas.has(INTERLEAVED);
  if (isBounded && budgetTokens >= maxTokens)
    throw invalid("", "`max_tokens` must be greater than `thinking.budget_tokens`.");
  return { mode: "enabled", budgetTokens, display };
}

const FIELDS = {
  adaptive: ["type", "display"],
  disabled: ["type"],
  enabled: ["type", "budget_tokens", "display"],
} as const;

export const INTERLEAVED = "interleaved-thinking-2025-05-14";

const MIN_BUDGET = 1_024;

/** How long the simulated model thinks for a budget. */
export function effortOfBudget(budgetTokens: number): ReasoningEffort {
  if (budgetTokens < 2_048) return "low";
  return budgetTokens < 8_192 ? "medium" : "high";
}
