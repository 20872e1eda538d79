import type { ChatRequest, Reasoning } from "#core/chat.ts";
import type { ModelTraits } from "#core/model.ts";
import { planReasoning, type ReasoningPlan } from "#core/reasoning.ts";
import type { JsonObject } from "#lib/json.ts";
import { isOwn } from "../raw-fields.ts";

/**
 * A budget or a level, never both: the two together are refused. `undefined`
 * where nothing is to be said, as of a model that is known not to think.
 */
export function buildThinking(request: ChatRequest, model: ModelTraits): JsonObject | undefined {
  const { reasoning } = request;
  if (reasoning === undefined || cannotThink(model)) return undefined;
  const plan = planReasoning(reasoning, model.reasoningControls);
  const config = {
    ...(plan === undefined ? {} : written(plan, request, model)),
    ...shown(request),
  };
  return Object.keys(config).length === 0 ? undefined : config;
}

/** Everything else is known of it, but not that it thinks. */
export function cannotThink(model: ModelTraits): boolean {
  return model.kind !== undefined && model.reasoningControls === undefined;
}

function written(
  plan: ReasoningPlan,
  { reasoning, maxOutputTokens }: ChatRequest,
  { reasoningControls }: ModelTraits,
): JsonObject {
  switch (plan.mode) {
    case "off":
      return { thinkingBudget: 0 };
    case "budget":
      return {
        thinkingBudget: withinLimit(
          plan.tokens,
          reasoning,
          maxOutputTokens,
          reasoningControls ?? {},
        ),
      };
    case "effort":
      return { thinkingLevel: levelOf(plan.effort) };
    case "auto": {
      const bounds = reasoningControls?.budget;
      const isSwitchedOn = reasoning?.enabled === true;
      // The levels' models decide by themselves when nothing is said; and to see is not to steer.
      if (reasoningControls?.efforts !== undefined) return {};
      if (!isSwitchedOn && reasoning?.budgetTokens === undefined) return {};
      if (isSwitchedOn && bounds !== undefined && maxOutputTokens !== undefined) {
        const { minTokens = 1, maxTokens = Infinity } = bounds;
        const share = Math.floor(SHARE_OF_OUTPUT * maxOutputTokens);
        return { thinkingBudget: Math.min(Math.max(share, minTokens), maxTokens) };
      }
      return { thinkingBudget: -1 };
    }
  }
}

/**
 * Thoughts count towards the limit on the output: what an effort stands for must
 * leave room for the answer. A budget of the caller's own is theirs.
 */
function withinLimit(
  tokens: number,
  asked: Reasoning | undefined,
  limit: number | undefined,
  { budget: bounds, toggle }: NonNullable<ModelTraits["reasoningControls"]>,
): number {
  const canStop = toggle === true;
  if (limit === undefined || asked?.effort === undefined) return tokens;
  if (asked.budgetTokens !== undefined) return tokens;
  const share = Math.floor(SHARE_OF_OUTPUT * limit);
  const least = bounds?.minTokens ?? 0;
  if (share >= least) return Math.min(tokens, share);
  // There is no room for the least that it thinks.
  return canStop ? 0 : least;
}

/** Thoughts count as output: this much of it leaves room for the answer. */
const SHARE_OF_OUTPUT = 0.6;

/** Names of strength that this style's models do not have. */
const LEVELS: ReadonlyMap<string, string> = new Map([
  ["xhigh", "HIGH"],
  ["max", "HIGH"],
]);

export function levelOf(effort: string): string {
  return LEVELS.get(effort) ?? effort.toUpperCase();
}

/** Callers of this style say so themselves; for others, who asks to think asks to see it. */
function shown(request: ChatRequest): JsonObject {
  const { reasoning = {} } = request;
  if (reasoning.visible !== undefined) return { includeThoughts: reasoning.visible };
  return isOwn(request) || isOff(reasoning) ? {} : { includeThoughts: true };
}

export function isOff({ enabled, budgetTokens, effort }: Reasoning): boolean {
  return enabled === false || budgetTokens === 0 || effort === "none";
}
