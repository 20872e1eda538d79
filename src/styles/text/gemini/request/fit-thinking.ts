import { doesNotReason } from "#core/model.ts";
import { planReasoning, type ReasoningControls } from "#core/reasoning.ts";
import type { OutboundContext } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, integerOf, objectOf, textOf } from "#lib/values.ts";
import { NO_LOSS, type BodyEditor } from "#styles/text/body-editor.ts";
import { levelOf } from "../conversation/reasoning-out.ts";

/** Says how to think in the way that the model takes: a level, or a budget within its bounds. */
export function fitThinkingConfig(config: BodyEditor, { model }: OutboundContext): void {
  const thinking = objectOf(config.get("thinkingConfig"));
  if (thinking === undefined) return;
  const budget = integerOf(thinking["thinkingBudget"]);
  const level = textOf(thinking["thinkingLevel"])?.toLowerCase();
  if (doesNotReason(model)) {
    const isAsked =
      (budget ?? 0) !== 0 || level !== undefined || thinking["includeThoughts"] === true;
    config.remove("thinkingConfig", isAsked ? "reasoning" : NO_LOSS);
    return;
  }
  const { reasoningControls: controls } = model;
  const takesBudgets = model.rules?.thinkingBudgets !== false;
  const steered =
    controls === undefined ? {} : steeringOf({ budget, level, takesBudgets }, controls);
  const fit = { ...thinking, ...steered };
  const isOff = fit["thinkingBudget"] === 0;
  const shown = isOff && fit["includeThoughts"] === true ? { includeThoughts: undefined } : {};
  const all: JsonObject = { ...fit, ...shown };
  if (JSON.stringify(all) !== JSON.stringify(thinking)) {
    const loss = isAnotherBudget(budget, fit["thinkingBudget"]) ? BUDGET : NO_LOSS;
    const isStillOn = budget === 0 && !isOff;
    config.set("thinkingConfig", defined(all) as JsonObject, isStillOn ? "reasoning" : loss);
  }
}

function isAnotherBudget(asked: number | undefined, written: JsonObject[string]): boolean {
  return asked !== undefined && asked > 0 && written !== asked;
}

const BUDGET = "generationConfig.thinkingConfig.thinkingBudget";

interface RequestedValue {
  readonly budget: number | undefined;
  readonly level: string | undefined;
  readonly takesBudgets: boolean;
}

/** Members to change. */
function steeringOf(
  { budget, level, takesBudgets }: RequestedValue,
  controls: ReasoningControls,
): Readonly<Record<string, number | string | undefined>> {
  const { efforts, budget: bounds } = controls;
  if (level !== undefined) {
    const plan = planReasoning({ effort: level }, controls);
    // A level beside a budget is refused.
    if (plan?.mode === "effort")
      return plan.effort === level && budget === undefined
        ? {}
        : { thinkingLevel: levelOf(plan.effort), thinkingBudget: undefined };
    if (plan?.mode === "budget" && bounds !== undefined)
      return { thinkingLevel: undefined, thinkingBudget: budget ?? plan.tokens };
    return {};
  }
  if (budget === undefined) return {};
  if (!takesBudgets) {
    const plan = planReasoning({ budgetTokens: budget }, efforts === undefined ? {} : { efforts });
    const thinkingLevel = plan?.mode === "effort" ? levelOf(plan.effort) : undefined;
    return { thinkingBudget: undefined, thinkingLevel };
  }
  if (budget === -1) return {};
  if (budget === 0) {
    const plan = planReasoning({ budgetTokens: 0 }, controls);
    if (plan?.mode === "budget") return { thinkingBudget: plan.tokens };
    // Without a level for almost nothing there is no way to switch it off either.
    if (plan?.mode === "effort" && plan.effort !== "minimal")
      return { thinkingBudget: undefined, thinkingLevel: levelOf(plan.effort) };
    return {};
  }
  if (bounds === undefined || efforts !== undefined) return {};
  const { minTokens = 1, maxTokens = Infinity } = bounds;
  const fit = Math.min(Math.max(budget, minTokens), maxTokens);
  return fit === budget ? {} : { thinkingBudget: fit };
}
