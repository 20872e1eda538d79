import type { Reasoning } from "#core/chat.ts";
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
import type { Built } from "#styles/text/request-fields.ts";
import { unaskedEffort } from "#styles/text/unasked-effort.ts";
import type { ReasoningTerms } from "../request/dialect.ts";

/** Who is asked to reason, and how they are told. */
interface Reasoner {
  readonly model: ModelTraits;
  readonly terms: ReasoningTerms;
  readonly stream: boolean;
}

/**
 * A wish for reasoning in the words of a family. What a model cannot do of it
 * is lost: a switch that is missing, a step that it does not have, a number of
 * tokens where it only knows steps.
 */
export function buildReasoning(asked: Reasoning, reasoner: Reasoner): Built<JsonObject> {
  const { model, terms } = reasoner;
  const { reasoningControls: controls } = model;
  const plan = planReasoning(asked, controls);
  if (plan === undefined) return { members: {} };
  if (doesNotReason(model)) return { members: {}, lost: plan.mode === "off" ? [] : ["reasoning"] };
  const staysOn = isOff(asked) && plan.mode !== "off";
  const isCounted = plan.mode !== "budget" || counts(terms);
  const isBudgetLost = losesBudget(asked, plan) || ((asked.budgetTokens ?? 0) > 0 && !isCounted);
  const { members, lost = [] } = inTerms(terms, { asked, plan, controls, reasoner });
  return {
    members,
    lost: [
      ...(staysOn ? ["reasoning"] : []),
      ...(isBudgetLost ? ["reasoning.budget_tokens"] : []),
      ...lost,
    ],
  };
}

function inTerms(terms: ReasoningTerms, writer: Writer): Built<JsonObject> {
  switch (terms) {
    case "effort":
      return asEffort(writer);
    case "switch":
      return asSwitch(writer);
    case "type":
      return asType(writer);
    case "object":
      return { members: asObject(writer) };
    case "any":
      return { members: asAny(writer) };
    case "flag":
      return asFlag(writer);
    case "budget":
      return asBudget(writer);
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
  return terms === "switch" || terms === "object" || terms === "any" || terms === "budget";
}

/** Where nobody says, a switch is assumed: most models of the families that have one can be switched. */
function canSwitch(controls: ReasoningControls | undefined): boolean {
  return controls === undefined || controls.toggle === true;
}

function asEffort({ asked, plan, controls }: Writer): Built<JsonObject> {
  const efforts = controls?.efforts ?? [];
  switch (plan.mode) {
    case "off":
      return efforts.includes("none") || asked.effort === "none"
        ? { members: { reasoning_effort: "none" } }
        : { members: {}, lost: ["reasoning"] };
    case "auto":
      return { members: defined({ reasoning_effort: unaskedEffort(controls) }) };
    case "budget": {
      const effort = effortFor(plan.tokens, controls?.budget?.maxTokens);
      return { members: { reasoning_effort: effort } };
    }
    case "effort":
      return { members: { reasoning_effort: plan.effort } };
  }
}

function asSwitch({ plan, controls, reasoner: { stream } }: Writer): Built<JsonObject> {
  const isSwitched = canSwitch(controls);
  if (plan.mode === "off") return { members: isSwitched ? { enable_thinking: false } : {} };
  if (isSwitched && !stream) return { members: { enable_thinking: false }, lost: ["reasoning"] };
  return {
    members: {
      ...(isSwitched ? { enable_thinking: true } : {}),
      ...(plan.mode === "budget" ? { thinking_budget: plan.tokens } : {}),
    },
    lost: plan.mode === "effort" ? ["reasoning.effort"] : [],
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

/** Its models have a switch or efforts; only some have both. */
function asFlag({ plan, controls }: Writer): Built<JsonObject> {
  const isSwitched = canSwitch(controls);
  const on = isSwitched ? { reasoning: { enabled: true } } : {};
  if (plan.mode === "off") {
    return isSwitched
      ? { members: { reasoning: { enabled: false } } }
      : { members: {}, lost: ["reasoning"] };
  }
  if (plan.mode !== "effort") return { members: on };
  return controls === undefined || controls.efforts !== undefined
    ? { members: { reasoning_effort: plan.effort } }
    : { members: on, lost: ["reasoning.effort"] };
}

/** Efforts switch reasoning, too; a number of tokens needs the other member. */
function asBudget(writer: Writer): Built<JsonObject> {
  const { plan, controls } = writer;
  if (plan.mode === "off" && canSwitch(controls)) return { members: { reasoning_effort: "none" } };
  if (plan.mode !== "budget") return asEffort(writer);
  return { members: { thinking: { type: "enabled", budget_tokens: plan.tokens } } };
}

/** The value of `thinking.type` that has the model think. */
export function typeToThink({ rules }: ModelTraits): "enabled" | "adaptive" | undefined {
  const { thinking: types = ["enabled"] } = rules ?? {};
  return (["enabled", "adaptive"] as const).find((each) => types.includes(each));
}

function asType({ plan, controls, reasoner }: Writer): Built<JsonObject> {
  const isSwitched = canSwitch(controls);
  if (plan.mode === "off") return { members: isSwitched ? { thinking: { type: "disabled" } } : {} };
  const effort = plan.mode === "effort" ? plan.effort : undefined;
  const hasEfforts = controls?.efforts !== undefined;
  // In this family the weakest step is no reasoning, and only goes with it.
  const type = effort === "minimal" && hasEfforts ? "disabled" : typeToThink(reasoner.model);
  return {
    members: {
      ...(isSwitched && type !== undefined ? { thinking: { type } } : {}),
      ...(effort !== undefined && hasEfforts ? { reasoning_effort: effort } : {}),
    },
    lost: effort !== undefined && !hasEfforts ? ["reasoning.effort"] : [],
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
