import type { Reasoning } from "./chat.ts";

/** How far a caller can steer the reasoning of a model; empty where nobody says. */
export interface ReasoningControls {
  /** Can be turned off and on. */
  readonly toggle?: true;
  /** The levels the vendor accepts, weakest first. */
  readonly efforts?: readonly string[];
  /** Levels it does not list, and the listed one that its vendor documents for each. */
  readonly effortAliases?: Readonly<Record<string, string>>;
  /** Takes a number of tokens to think for, within these bounds where they are known. */
  readonly budget?: { readonly minTokens?: number; readonly maxTokens?: number };
}

/** A caller's wish, in the terms that a model takes. */
export type ReasoningPlan =
  | { readonly mode: "off" }
  /** On, as much as the model likes. */
  | { readonly mode: "auto" }
  | { readonly mode: "budget"; readonly tokens: number }
  | { readonly mode: "effort"; readonly effort: string };

/** Weakest first; what vendors call the steps between nothing and everything. */
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Shares of the largest budget: 20, 50 and 80 % by the specification, the ends as is usual. */
const SHARES: ReadonlyMap<string, number> = new Map([
  ["minimal", 0.05],
  ["low", 0.2],
  ["medium", 0.5],
  ["high", 0.8],
  ["xhigh", 1],
  ["max", 1],
]);

/** Where a family does not say what it takes at most. */
const USUAL_BUDGET = 24_576;

/**
 * What to ask of a model, so that it neither refuses the wish nor does
 * something else. `undefined` says nothing: the model's own default. Without
 * `controls` the wish is passed on in the terms it came in.
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

/** A model that cannot stop thinking thinks as little as it can. */
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

/** Tokens that stand for an effort, where the model counts tokens. */
export function budgetFor(effort: string, maxTokens = USUAL_BUDGET): number {
  return Math.floor((SHARES.get(effort) ?? 1) * maxTokens);
}

/** The effort that a number of tokens comes nearest to. */
export function effortFor(tokens: number, maxTokens = USUAL_BUDGET): string {
  const share = tokens / maxTokens;
  if (share < 0.35) return "low";
  return share < 0.65 ? "medium" : "high";
}

/** A known word as it is; otherwise the one that the vendor documents for it, or the closest in strength. */
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
