import { doesNotReason, type ThinkingType } from "#core/model.ts";
import { budgetFor, effortFor, planReasoning } from "#core/reasoning.ts";
import type { OutboundContext } from "#core/style.ts";
import { isObject } from "#lib/json.ts";
import { listOf, memberOf, numberOf, objectOf, textOf } from "#lib/values.ts";
import { NO_LOSS, type BodyEditor } from "#styles/text/body-editor.ts";
import { budgetWithin, mayThink, MIN_ROOM } from "../conversation/reasoning-out.ts";

/** Says how to think in the way that the model takes. */
export function fitThinking(editor: BodyEditor, context: OutboundContext): void {
  const thinking = objectOf(editor.get("thinking"));
  const type = textOf(thinking?.["type"]);
  if (type !== undefined) fitType(type, editor, context);
  fitEffort(editor, context);
}

function fitType(type: string, editor: BodyEditor, context: OutboundContext): void {
  const { model } = context;
  if (doesNotReason(model)) {
    editor.remove("thinking", type === "disabled" ? NO_LOSS : "reasoning");
    return;
  }
  const allowed = model.rules?.thinking;
  if (allowed === undefined) return;
  const takes = (one: ThinkingType): boolean => allowed.includes(one);
  if (allowed.some((one) => one === type)) {
    if (type === "enabled") fitBudget(editor);
    return;
  }
  if (type === "disabled") {
    if (takes("between_tools")) editor.set("thinking", { type: "between_tools" }, "reasoning");
    else editor.remove("thinking", "reasoning");
    setEffort(editor, model.reasoningControls?.efforts?.[0], NO_LOSS);
  } else if (takes("adaptive")) measureItself(type, editor, context);
  else if (takes("enabled")) measure(editor, context);
  else editor.remove("thinking", "reasoning");
}

/** A number of tokens becomes the effort that comes nearest to it. */
function measureItself(type: string, editor: BodyEditor, context: OutboundContext): void {
  const { model } = context;
  const thinking = objectOf(editor.get("thinking"));
  const display = textOf(thinking?.["display"]) ?? "summarized";
  const budget = type === "enabled" ? numberOf(thinking?.["budget_tokens"]) : undefined;
  const loss = budget === undefined ? NO_LOSS : "thinking.budget_tokens";
  editor.set("thinking", { type: "adaptive", display }, loss);
  if (budget === undefined) return;
  if (textOf(memberOf(editor.get("output_config"), "effort")) !== undefined) return;
  const plan = planReasoning({ effort: effortFor(budget) }, model.reasoningControls);
  setEffort(editor, plan?.mode === "effort" ? plan.effort : undefined, NO_LOSS);
}

/** A model that does not measure its thinking by itself is given a number of tokens. */
function measure(editor: BodyEditor, { model }: OutboundContext): void {
  const effort = textOf(memberOf(editor.get("output_config"), "effort")) ?? "high";
  const wanted = budgetFor(effort, model.reasoningControls?.budget?.maxTokens);
  const limit = numberOf(editor.get("max_tokens")) ?? 0;
  const budget = budgetWithin(limit, wanted, MIN_ROOM);
  const messages = listOf(editor.get("messages")).filter(isObject);
  if (budget === undefined || !mayThink({ messages })) {
    editor.remove("thinking", "reasoning");
  } else editor.set("thinking", { type: "enabled", budget_tokens: budget }, NO_LOSS);
}

/** Thinking counts towards the limit, which may have been lowered. */
function fitBudget(editor: BodyEditor): void {
  if (!("max_tokens" in editor.edits)) return;
  const limit = numberOf(editor.get("max_tokens")) ?? Infinity;
  const thinking = objectOf(editor.get("thinking"));
  const wanted = numberOf(thinking?.["budget_tokens"]) ?? 0;
  if (wanted < limit) return;
  const budget = budgetWithin(limit, wanted, MIN_ROOM);
  const lowered = { ...thinking, budget_tokens: budget ?? 0 };
  editor.set("thinking", budget === undefined ? { type: "disabled" } : lowered, "reasoning");
}

/** Weakest first. */
const EFFORTS = ["low", "medium", "high", "xhigh", "max"];

function fitEffort(editor: BodyEditor, { model }: OutboundContext): void {
  const effort = textOf(memberOf(editor.get("output_config"), "effort"));
  if (effort === undefined || model.kind === undefined) return;
  const { efforts } = model.reasoningControls ?? {};
  if (efforts === undefined) {
    setEffort(editor, undefined, EFFORT);
    return;
  }
  const most = model.rules?.maxEffortWithoutThinking;
  const type = memberOf(editor.get("thinking"), "type");
  const isLess = type === "disabled" || type === "between_tools";
  const isTooMuch = isLess && most !== undefined && EFFORTS.indexOf(effort) > EFFORTS.indexOf(most);
  const plan = planReasoning({ effort: isTooMuch ? most : effort }, { efforts });
  if (plan?.mode !== "effort" || plan.effort === effort) return;
  setEffort(editor, plan.effort, EFFORT);
}

const EFFORT = "reasoning.effort";

function setEffort(
  editor: BodyEditor,
  effort: string | undefined,
  loss: typeof EFFORT | typeof NO_LOSS,
): void {
  const { effort: _, ...rest } = objectOf(editor.get("output_config")) ?? {};
  const config = effort === undefined ? rest : { ...rest, effort };
  if (Object.keys(config).length > 0) editor.set("output_config", config, loss);
  else editor.remove("output_config", loss);
}
