import type { Reasoning } from "./chat.ts";

/** How far a client can control a model's reasoning; empty if unknown. */
export interface ReasoningControls {
  /** Can be switched off and on. */
  readonly toggle?: true;
  /** The effort levels that the vendor accepts, lowest first. */
  readonly efforts?: readonly string[];
  /**
   * Effort levels that it does not list, and the listed level that its vendor
   * documents for each.
   */
  readonly effortAliases?: Readonly<Record<string, string>>;
  /** Accepts a thinking budget in tokens, within these bounds if they are known. */
  readonly budget?: { readonly minTokens?: number; readonly maxTokens?: number };
}

/** A client's reasoning settings in the terms of a model. */
export type ReasoningPlan =
  | { readonly mode: "off" }
  /** On, without a limit. */
  | { readonly mode: "auto" }
  | { readonly mode: "budget"; readonly tokens: number }
  | { readonly mode: "effort"; readonly effort: string };

/** Lowest first; vendors' names for the levels. */
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/**
 * Shares of the largest budget: 20, 50 and 80 % by the specification, the outer
 * levels by convention.
 */
const SHARES: ReadonlyMap<string, number> = new Map([
  ["minimal", 0.05],
  ["low", 0.2],
  ["medium", 0.5],
  ["high", 0.8],
  ["xhigh", 1],
  ["max", 1],
]);

/** Assumed maximum budget, if the family does not publish one. */
const USUAL_BUDGET = 24_576;

/**
 * The reasoning settings for an upstream, chosen so that the model neither
 * refuses nor misinterprets them. `undefined`: send nothing, the model's
 * default applies. Without `controls`, the client's settings pass through in
 * their own terms.
 */
export function planReasoning(
  asked: Reasoning | undefined,
  controls: ReasoningControls | undefined,
): ReasoningPlan | undefined {
  if (asked === undefined) return undefined;
  const { enabled, budgetTokens, effort } = asked;
  if (enabled === false || budgetTokens === 0 || effort === "none") return off(controls);
  if (budgetTokens !== undefined && budgetTokens > 0) return budget(budgetTokens, controls);
  if (effort !== undefined && SHARES.has(effort)) return leveled(effort, controls);
  return enabled === true || budgetTokens === -1 || asked.visible === true
    ? { mode: "auto" }
    : undefined;
}

/** Whether a model thinks for another number of tokens than the caller gave, or cannot be given one. */
export function losesBudget(
  asked: Reasoning | undefined,
  plan: ReasoningPlan | undefined,
): boolean {
  const { budgetTokens = 0 } = asked ?? {};
  return budgetTokens > 0 && !(plan?.mode === "budget" && plan.tokens === budgetTokens);
}

/** A model that cannot stop thinking gets the lowest setting. */
function off(controls: ReasoningControls | undefined): ReasoningPlan {
  const { efforts = [], budget, toggle } = controls ?? {};
  if (controls === undefined || toggle === true || efforts.includes("none")) return { mode: "off" };
  const [weakest] = efforts;
  if (weakest !== undefined) return { mode: "effort", effort: weakest };
  const least = budget?.minTokens ?? 0;
  return least === 0 ? { mode: "off" } : { mode: "budget", tokens: least };
}

function budget(tokens: number, controls: ReasoningControls | undefined): ReasoningPlan {
  const { efforts, budget: bounds } = controls ?? {};
  if (bounds === undefined && efforts !== undefined) {
    return { mode: "effort", effort: nearest(effortFor(tokens), efforts, controls) };
  }
  return { mode: "budget", tokens: clamp(tokens, bounds) };
}

function leveled(effort: string, controls: ReasoningControls | undefined): ReasoningPlan {
  const { efforts, budget: bounds } = controls ?? {};
  if (efforts !== undefined) return { mode: "effort", effort: nearest(effort, efforts, controls) };
  if (bounds === undefined) return { mode: "effort", effort };
  return { mode: "budget", tokens: clamp(budgetFor(effort, bounds.maxTokens), bounds) };
}

/** The token budget for an effort, for models with budgets. */
export function budgetFor(effort: string, maxTokens = USUAL_BUDGET): number {
  return Math.floor((SHARES.get(effort) ?? 1) * maxTokens);
}

/** The effort that is closest to a token budget. */
export function effortFor(tokens: number, maxTokens = USUAL_BUDGET): string {
  const share = tokens / maxTokens;
  if (share < 0.35) return "low";
  return share < 0.65 ? "medium" : "high";
}

/**
 * A known level as it is; otherwise the level that the vendor documents for it,
 * or the closest level.
 */
function nearest(
  effort: string,
  known: readonly string[],
  { effortAliases }: ReasoningControls = {},
): string {
  if (known.includes(effort)) return effort;
  const documented = effortAliases?.[effort];
  if (documented !== undefined) return documented;
  const wanted = EFFORTS.indexOf(effort);
  const distance = (word: string): number => Math.abs(EFFORTS.indexOf(word) - wanted);
  const usable = known.filter((word) => word !== "none");
  return usable.reduce(
    (best, word) => (distance(word) < distance(best) ? word : best),
    usable[0] ?? effort,
  );
}

function clamp(tokens: number, bounds: ReasoningControls["budget"]): number {
  const { minTokens = 1, maxTokens = Infinity } = bounds ?? {};
  return Math.min(Math.max(tokens, minTokens), maxTokens);
}
