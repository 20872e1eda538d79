import type { JSONObject } from "@ai-sdk/provider";
import type { Reasoning } from "#core/chat.ts";
import { budgetFor, effortFor, planReasoning, type ReasoningControls } from "#core/reasoning.ts";

/** What a wish to think is for. */
export interface Thinker {
  readonly controls: ReasoningControls | undefined;
  readonly model: string;
  /** The most that the caller lets it generate, thinking included. */
  readonly limit: number | undefined;
}

/** What to ask of a package. */
export interface Preference {
  readonly options: JSONObject;
  /** Tokens that the package adds to the most that the caller allowed. */
  readonly spends?: number;
}

const MIN_BUDGET = 1_024;
/** Of all that may be generated, where nobody said how many tokens to think for. */
const SHARE = 0.8;

interface Measured {
  readonly type: "disabled" | "adaptive" | "enabled";
  readonly display?: "omitted" | "summarized";
  readonly budgetTokens?: number;
  readonly effort?: string;
  readonly spends?: number;
}

/** For models that are told how long to think, or that measure it themselves by an effort. */
export function measured(asked: Reasoning, { controls, limit }: Thinker): Measured {
  const plan = planReasoning(asked, controls);
  const isAdaptive = controls?.efforts !== undefined && controls.budget === undefined;
  const effort =
    plan?.mode === "effort" && controls?.efforts !== undefined ? plan.effort : undefined;
  const more = effort === undefined ? {} : { effort };
  if (plan === undefined || plan.mode === "off") return { type: "disabled" };
  if (isAdaptive) {
    const display = asked.visible === false ? "omitted" : "summarized";
    return { type: "adaptive", display, ...more };
  }
  const usual =
    plan.mode === "budget"
      ? plan.tokens
      : budgetFor(plan.mode === "effort" ? plan.effort : "medium", controls?.budget?.maxTokens);
  // A number that the caller chose is the caller's.
  const tokens =
    asked.budgetTokens === undefined ? Math.min(usual, SHARE * (limit ?? Infinity)) : usual;
  const budgetTokens = Math.max(MIN_BUDGET, Math.floor(tokens));
  return { type: "enabled", budgetTokens, ...more, spends: budgetTokens };
}

/** For models that take a number of tokens: 0 is off, -1 as much as they like. */
export function budgeted(
  asked: Reasoning,
  { controls }: Thinker,
  write: (tokens: number) => JSONObject,
): Preference | undefined {
  const plan = planReasoning(asked, controls);
  switch (plan?.mode) {
    case undefined:
      return undefined;
    case "off":
      return { options: write(0) };
    case "auto":
      return { options: write(-1) };
    case "budget":
      return { options: write(plan.tokens) };
    case "effort":
      return { options: write(budgetFor(plan.effort, controls?.budget?.maxTokens)) };
  }
}

/** For models that take a word. */
export function levelled(
  asked: Reasoning,
  { controls }: Thinker,
  write: (effort: string) => JSONObject,
): Preference | undefined {
  const plan = planReasoning(asked, controls);
  switch (plan?.mode) {
    case undefined:
    case "auto":
      return undefined;
    case "off":
      return { options: write("none") };
    case "budget":
      return { options: write(effortFor(plan.tokens, controls?.budget?.maxTokens)) };
    case "effort":
      return { options: write(plan.effort) };
  }
}
