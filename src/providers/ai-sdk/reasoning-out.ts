import type { JSONObject } from "@ai-sdk/provider";
import type { ChatRequest, Message } from "#core/chat.ts";
import type { ModelTraits } from "#core/model.ts";
import { effortFor, losesBudget, planReasoning } from "#core/reasoning.ts";
import type { LanguageModel } from "./load.ts";
import type { Terms } from "./place.ts";
import { writeProof } from "./proof.ts";
import type { PackageTraits } from "./traits.ts";

export interface Asked {
  readonly options?: JSONObject;
  readonly spends?: number;
  /** A word of the shared interface, which has one since its fourth version. */
  readonly effort?: string;
  readonly lost?: readonly string[];
}

export function reasoningOf(
  request: ChatRequest,
  { traits }: Terms,
  { reasoningControls }: ModelTraits,
  version: LanguageModel["version"],
): Asked {
  const { reasoning } = request;
  if (reasoning === undefined) return {};
  if (traits.reasoning !== undefined) {
    const wish = traits.reasoning(reasoning, {
      controls: reasoningControls,
      model: request.model,
      limit: request.maxOutputTokens,
    });
    const { budgetTokens = 0 } = reasoning;
    const spends = wish?.spends ?? budgetTokens;
    const plan = planReasoning(reasoning, reasoningControls);
    const isChanged = losesBudget(reasoning, plan) || (budgetTokens > 0 && spends !== budgetTokens);
    const lost = isChanged ? ["reasoning.budget_tokens"] : [];
    const isTaken = wish?.spends === undefined || mayThink(request, wish.spends, traits);
    return isTaken ? { ...wish, lost } : { lost: [...lost, "reasoning"] };
  }
  if (version === "v4") {
    const effort = wordFor(planReasoning(reasoning, reasoningControls));
    return effort === undefined ? {} : { effort };
  }
  return { lost: ["reasoning"] };
}

function wordFor(plan: ReturnType<typeof planReasoning>): string | undefined {
  switch (plan?.mode) {
    case undefined:
    case "auto":
      return undefined;
    case "off":
      return "none";
    case "budget":
      return effortFor(plan.tokens);
    case "effort":
      return plan.effort;
  }
}

/**
 * Where a budget is set, the model goes on only from tool calls whose
 * thinking it can see, and needs something left to answer with.
 */
function mayThink(
  { messages, maxOutputTokens }: ChatRequest,
  budget: number,
  traits: PackageTraits,
): boolean {
  if (maxOutputTokens !== undefined && maxOutputTokens <= budget) return false;
  const last = messages.findLast(({ role }) => role === "assistant");
  if (last === undefined) return true;
  if (messages.at(-1) === last) return false;
  return (
    !hasCalls(last) ||
    last.blocks.some(
      (block) => block.type === "reasoning" && writeProof(block.signature, traits) !== undefined,
    )
  );
}

function hasCalls({ blocks }: Message): boolean {
  return blocks.some(({ type }) => type === "tool_call");
}
