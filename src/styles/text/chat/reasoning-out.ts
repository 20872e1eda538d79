import type { Reasoning } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import type { JsonObject } from "#lib/json.ts";

/**
 * This style knows efforts only. A budget becomes the nearest one, as shares
 * of the budget that most families have at most; a switch that says off has no
 * word that every model takes, and none that asks for it is the usual default.
 */
export function buildReasoning(reasoning: Reasoning, report: LossReport): JsonObject {
  const { effort, budgetTokens, enabled } = reasoning;
  if (effort !== undefined) return { reasoning_effort: effort };
  if (budgetTokens !== undefined && budgetTokens > 0) {
    report.lose("reasoning.budget_tokens");
    return { reasoning_effort: nearestEffort(budgetTokens) };
  }
  if (enabled === false || budgetTokens === 0) report.lose("reasoning");
  return {};
}

const USUAL_BUDGET = 24_576;

function nearestEffort(budgetTokens: number): string {
  const share = budgetTokens / USUAL_BUDGET;
  if (share < 0.35) return "low";
  return share < 0.65 ? "medium" : "high";
}
