import type { Reasoning } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import { doesNotReason, type ModelTraits } from "#core/model.ts";
import {
  effortFor,
  losesBudget,
  planReasoning,
  type ReasoningControls,
  type ReasoningPlan,
} from "#core/reasoning.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { unaskedEffort } from "#styles/text/unasked-effort.ts";
import type { ReasoningTerms } from "./dialect.ts";

/** Who is asked to reason, and how they are told. */
interface Reasoner {
  readonly model: ModelTraits;
  readonly terms: ReasoningTerms;
  readonly stream: boolean;
  readonly report: LossReport;
}

/**
 * A wish for reasoning in the words of a family. What a model cannot do of it
 * is reported: a switch that is missing, a step that it does not have, a
 * number of tokens where it only knows steps.
 */
export function buildReasoning(asked: Reasoning, reasoner: Reasoner): JsonObject {
  const { model, terms, report } = reasoner;
  const { reasoningControls: controls } = model;
  const plan = planReasoning(asked, controls);
  if (plan === undefined) return {};
  if (doesNotReason(model)) {
    if (plan.mode !== "off") report.lose("reasoning");
    return {};
  }
  if (isOff(asked) && plan.mode !== "off") report.lose("reasoning");
  const isCounted = plan.mode !== "budget" || counts(terms);
  if (losesBudget(asked, plan) || ((asked.budgetTokens ?? 0) > 0 && !isCounted))
    report.lose("reasoning.budget_tokens");

  const writer: Writer = { asked, plan, controls, reasoner };
  switch (terms) {
    case "effort":
      return asEffort(writer);
    case "switch":
      return asSwitch(writer);
    case "type":
      return asType(writer);
    case "object":
      return asObject(writer);
    case "any":
      return asAny(writer);
  }
}

interface Writer {
  readonly asked: Reasoning;
  readonly plan: ReasoningPlan;
  readonly controls: ReasoningControls | undefined;
  readonly reasoner: Reasoner;
}

function isOff({ enabled, budgetTokens, effort }: Reasoning): boolean {
  return enabled === false || budgetTokens === 0 || effort === "none";
}

function counts(terms: ReasoningTerms): boolean {
  return terms === "switch" || terms === "object" || terms === "any";
}

/** Where nobody says, a switch is assumed: most models of the families that have one can be switched. */
function canSwitch(controls: ReasoningControls | undefined): boolean {
  return controls === undefined || controls.toggle === true;
}

function asEffort({ asked, plan, controls, reasoner }: Writer): JsonObject {
  const efforts = controls?.efforts ?? [];
  switch (plan.mode) {
    case "off":
      if (efforts.includes("none") || asked.effort === "none") return { reasoning_effort: "none" };
      reasoner.report.lose("reasoning");
      return {};
    case "auto":
      return defined({ reasoning_effort: unaskedEffort(controls) });
    case "budget":
      return { reasoning_effort: effortFor(plan.tokens, controls?.budget?.maxTokens) };
    case "effort":
      return { reasoning_effort: plan.effort };
  }
}

function asSwitch({ plan, controls, reasoner }: Writer): JsonObject {
  const { report, stream } = reasoner;
  const isSwitched = canSwitch(controls);
  if (plan.mode === "off") return isSwitched ? { enable_thinking: false } : {};
  if (isSwitched && !stream) {
    report.lose("reasoning");
    return { enable_thinking: false };
  }
  if (plan.mode === "effort") report.lose("reasoning.effort");
  return {
    ...(isSwitched ? { enable_thinking: true } : {}),
    ...(plan.mode === "budget" ? { thinking_budget: plan.tokens } : {}),
  };
}

/** A switch beside an effort would say the same again, or the opposite. */
function asAny({ plan, controls }: Writer): JsonObject {
  switch (plan.mode) {
    case "off":
      return controls?.efforts?.includes("none") === true
        ? { reasoning_effort: "none" }
        : { enable_thinking: false };
    case "auto":
      return { enable_thinking: true };
    case "budget":
      return { enable_thinking: true, thinking_budget: plan.tokens };
    case "effort":
      return { reasoning_effort: plan.effort };
  }
}

/** The value of `thinking.type` that has the model think. */
export function typeToThink({ rules }: ModelTraits): "enabled" | "adaptive" | undefined {
  const { thinking: types = ["enabled"] } = rules ?? {};
  return (["enabled", "adaptive"] as const).find((each) => types.includes(each));
}

function asType({ plan, controls, reasoner }: Writer): JsonObject {
  const isSwitched = canSwitch(controls);
  if (plan.mode === "off") return isSwitched ? { thinking: { type: "disabled" } } : {};
  const effort = plan.mode === "effort" ? plan.effort : undefined;
  const hasEfforts = controls?.efforts !== undefined;
  if (effort !== undefined && !hasEfforts) reasoner.report.lose("reasoning.effort");
  // In this family the weakest step is no reasoning, and only goes with it.
  const type = effort === "minimal" && hasEfforts ? "disabled" : typeToThink(reasoner.model);
  return {
    ...(isSwitched && type !== undefined ? { thinking: { type } } : {}),
    ...(effort !== undefined && hasEfforts ? { reasoning_effort: effort } : {}),
  };
}

function asObject({ asked, plan }: Writer): JsonObject {
  const shown = asked.visible === false ? { exclude: true } : {};
  switch (plan.mode) {
    case "off":
      return { reasoning: { effort: "none" } };
    case "auto":
      return { reasoning: { enabled: true, ...shown } };
    case "budget":
      return { reasoning: { max_tokens: plan.tokens, ...shown } };
    case "effort":
      return { reasoning: { effort: plan.effort, ...shown } };
  }
}
