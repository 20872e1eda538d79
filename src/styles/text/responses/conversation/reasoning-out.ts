import type { ChatRequest, Reasoning } from "#core/chat.ts";
import type { OutboundContext } from "#core/style.ts";
import type { ModelTraits } from "#core/model.ts";
import { effortFor, planReasoning, type ReasoningControls } from "#core/reasoning.ts";
import { defined } from "#lib/values.ts";
import { doesNotReason } from "#core/model.ts";
import type { Built } from "#styles/text/request-fields.ts";
import { unaskedEffort } from "#styles/text/unasked-effort.ts";

/**
 * This style knows steps of effort only: a budget becomes the nearest one. A
 * summary is asked for where the caller wants to see what was thought.
 */
export function buildReasoning(asked: Reasoning, { model }: Pick<OutboundContext, "model">): Built {
  const { reasoningControls: controls } = model;
  const plan = planReasoning(asked, controls);
  const isWish = plan !== undefined && plan.mode !== "off";
  if (doesNotReason(model)) return { members: {}, lost: isWish ? ["reasoning"] : [] };
  const reasoning = defined({
    effort: plan === undefined ? undefined : effortOf(plan, controls),
    summary: asked.visible === true ? "auto" : undefined,
  });
  return {
    members: Object.keys(reasoning).length === 0 ? {} : { reasoning },
    lost: [
      ...(plan?.mode !== "off" && isOff(asked) ? ["reasoning"] : []),
      ...((asked.budgetTokens ?? 0) > 0 ? ["reasoning.budget_tokens"] : []),
    ],
  };
}

function effortOf(
  plan: NonNullable<ReturnType<typeof planReasoning>>,
  controls: ReasoningControls | undefined,
): string | undefined {
  switch (plan.mode) {
    case "off":
      return "none";
    case "auto":
      return unaskedEffort(controls);
    case "budget":
      return effortFor(plan.tokens, controls?.budget?.maxTokens);
    case "effort":
      return plan.effort;
  }
}

function isOff({ enabled, budgetTokens, effort }: Reasoning): boolean {
  return enabled === false || budgetTokens === 0 || effort === "none";
}

/**
 * Whether to ask for reasoning in the form that can be sent back. A model that
 * does not reason refuses a request that asks, so where nobody knows the
 * model, only a request that shows that it reasons does.
 */
export function asksForProof(model: ModelTraits | undefined, showsReasoning: boolean): boolean {
  if (model?.reasoningControls !== undefined) return true;
  return showsReasoning && (model === undefined || !doesNotReason(model));
}

export function showsReasoning({ reasoning, messages }: ChatRequest): boolean {
  return (
    reasoning !== undefined ||
    messages.some(({ blocks }) => blocks.some(({ type }) => type === "reasoning"))
  );
}
