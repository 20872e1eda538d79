import type { ChatRequest, Reasoning } from "#core/chat.ts";
import { budgetFor, planReasoning, type ReasoningControls } from "#core/reasoning.ts";
import type { ModelTraits } from "#core/model.ts";
import type { OutboundContext } from "#core/style.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf } from "#lib/values.ts";
import type { Conversation } from "./conversation-out.ts";

/** The least that vendors take. */
const MIN_BUDGET = 1_024;
const DEFAULT_LIMIT = 8_192;
/** Of all that may be generated, where the model is to think as much as it likes. */
const SHARE = 0.8;
/** The least that is left for the answer, where it is not the caller who divides. */
export const MIN_ROOM = 256;

/** What is asked of the model's thinking, and what follows from that. */
interface Thinking {
  readonly thinking: JsonObject | undefined;
  readonly effort: string | undefined;
  readonly maxTokens: number;
  readonly lost: readonly string[];
}

/**
 * Thinking counts towards the most that may be generated. A limit of the
 * gateway's own is raised where that leaves no room for the answer; the
 * caller's is what they are willing to pay for, and there is less thinking.
 */
export function planThinking(
  request: ChatRequest,
  conversation: Conversation,
  { model }: Pick<OutboundContext, "model">,
): Thinking {
  const { maxTokens, lost: limited } = limitOf(request, model);
  const options = wished(request.reasoning, model, maxTokens);
  const counted = request.reasoning?.budgetTokens ?? 0;
  const isChanged = counted > 0 && options.budget !== counted;
  const lost = [...limited, ...(isChanged ? ["reasoning.budget_tokens"] : [])];
  if (options.budget === undefined) {
    return { ...options, thinking: options.thinking ?? unsaid(request, model), maxTokens, lost };
  }

  const isLimited = request.maxOutputTokens !== undefined;
  const isCounted = counted > 0;
  const ceiling = isLimited ? maxTokens : (model.maxOutputTokens ?? Infinity);
  const budget = budgetWithin(ceiling, options.budget, isLimited && isCounted ? 1 : MIN_ROOM);
  const isLess = budget !== undefined && budget < options.budget;
  if (budget === undefined || !mayThink(conversation)) {
    const { effort } = options;
    return { thinking: { type: "disabled" }, effort, maxTokens, lost: [...lost, "reasoning"] };
  }
  return {
    thinking: { type: "enabled", budget_tokens: budget },
    effort: options.effort,
    maxTokens: budget + MIN_ROOM <= maxTokens ? maxTokens : Math.min(maxTokens + budget, ceiling),
    lost: isLess && (isLimited || isCounted) ? [...lost, "reasoning"] : lost,
  };
}

/** `undefined` where there is no room for any thinking at all. */
export function budgetWithin(ceiling: number, wanted: number, room: number): number | undefined {
  if (wanted + room <= ceiling) return wanted;
  const share = Math.max(MIN_BUDGET, Math.floor(SHARE * ceiling));
  return share + MIN_ROOM <= ceiling ? Math.min(share, wanted) : undefined;
}

/** Required here; elsewhere a caller need not say. */
export function limitOf(
  { maxOutputTokens }: ChatRequest,
  { maxOutputTokens: most }: ModelTraits,
): Pick<Thinking, "maxTokens" | "lost"> {
  if (maxOutputTokens === undefined) return { maxTokens: most ?? DEFAULT_LIMIT, lost: [] };
  if (most === undefined || maxOutputTokens <= most) {
    return { maxTokens: maxOutputTokens, lost: [] };
  }
  return { maxTokens: most, lost: ["max_tokens"] };
}

interface Options {
  readonly thinking: JsonObject | undefined;
  readonly effort: string | undefined;
  /** For models that are told how long to think. */
  readonly budget?: number;
}

/**
 * Models that are told how long to think take a budget, whether they know
 * efforts as well or not; the others measure it themselves.
 */
function wished(
  asked: Reasoning | undefined,
  { reasoningControls: controls, rules }: ModelTraits,
  maxTokens: number,
): Options {
  const plan = planReasoning(asked, controls);
  const isAdaptive = measuresItself(controls);
  if (asked !== undefined && isOff(asked)) {
    // One that cannot be switched off is at least told not to make an effort.
    const isBetween = rules?.thinking?.includes("between_tools") === true;
    return plan?.mode === "effort" && isAdaptive
      ? { thinking: isBetween ? { type: "between_tools" } : undefined, effort: plan.effort }
      : { thinking: { type: "disabled" }, effort: undefined };
  }
  switch (plan?.mode) {
    case undefined:
    case "off":
      return { thinking: undefined, effort: undefined };
    case "auto": {
      if (isAdaptive) return { thinking: adaptive(asked), effort: undefined };
      const budget = Math.max(MIN_BUDGET, Math.floor(SHARE * maxTokens));
      return { thinking: undefined, effort: undefined, budget };
    }
    case "budget":
      return {
        thinking: undefined,
        effort: undefined,
        budget: Math.max(MIN_BUDGET, Math.floor(plan.tokens)),
      };
    case "effort": {
      const effort = controls?.efforts === undefined ? undefined : plan.effort;
      if (isAdaptive) return { thinking: adaptive(asked), effort };
      const budget = budgetFor(plan.effort, controls?.budget?.maxTokens);
      return { thinking: undefined, effort, budget: Math.max(MIN_BUDGET, budget) };
    }
  }
}

/**
 * A model that always thinks says what it does between tool calls in thinking,
 * which it keeps to itself unless it is asked for it.
 */
function unsaid(
  { tools = [], reasoning }: ChatRequest,
  model: ModelTraits,
): JsonObject | undefined {
  const types = model.rules?.thinking ?? ["disabled"];
  const isAlways = types.includes("adaptive") && !types.includes("disabled");
  return isAlways && tools.length > 0 ? adaptive(reasoning) : undefined;
}

/** Steered by effort alone; these also refuse to go on from words put into their mouth. */
export function measuresItself(controls: ReasoningControls | undefined): boolean {
  return controls?.efforts !== undefined && controls.budget === undefined;
}

function isOff({ enabled, budgetTokens, effort }: Reasoning): boolean {
  return enabled === false || budgetTokens === 0 || effort === "none";
}

/** Models that measure by themselves show nothing of it unless they are asked to. */
function adaptive(asked: Reasoning | undefined): JsonObject {
  return { type: "adaptive", display: asked?.visible === false ? "omitted" : "summarized" };
}

/**
 * Whoever is told how long to think refuses to go on from words put into its
 * mouth, and from tool calls whose thinking it cannot see.
 */
export function mayThink(conversation: Pick<Conversation, "messages">): boolean {
  const { messages } = conversation;
  return messages.at(-1)?.["role"] !== "assistant" && !hasThoughtlessCalls(conversation);
}

/** Where the calls were another style's vendor's, their caller may have been shown no thinking. */
export function hasThoughtlessCalls({ messages }: Pick<Conversation, "messages">): boolean {
  const last = messages.findLast(({ role }) => role === "assistant");
  const blocks = listOf(last?.["content"]);
  const calls = blocks.some((block) => memberOf(block, "type") === "tool_use");
  return calls && !isThinking(blocks[0]);
}

/** Shown or hidden. */
export function isThinking(block: JsonObject[string]): boolean {
  const type = isObject(block) ? block["type"] : undefined;
  return type === "thinking" || type === "redacted_thinking";
}
