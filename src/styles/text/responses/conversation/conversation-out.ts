import type { ChatRequest, Message } from "#core/chat.ts";
import { reportLosses, type LossRule } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import type { OutboundContext } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import type { BreakpointPlan } from "#styles/text/prompt-cache.ts";
import { buildItems } from "./item-out.ts";
import { textIn } from "./part-out.ts";
import { GO_ON, hasPrefill } from "#styles/text/prefill.ts";
import { repairItems } from "../answer/repair-items.ts";
import { isOwn, RESPONSES, rawFieldsOf } from "../raw-fields.ts";

const CONTINUE: Message = { role: "user", blocks: [{ type: "text", text: GO_ON }] };

/** `instructions` and `input`. */
export function buildConversation(
  request: ChatRequest,
  { report, model }: OutboundContext,
  marks: BreakpointPlan["marks"],
): JsonObject {
  const { messages, extra } = request;
  const isBegun = hasPrefill(request);
  const leading = countInstructions(messages, marks);
  reportLosses(LOSSES, { request, model, leading }, report);
  const instructions = messages
    .slice(0, leading)
    .flatMap(({ blocks }) => blocks.map(textIn))
    .join("\n\n");

  const rest = [...messages.slice(leading), ...(isBegun ? [CONTINUE] : [])];
  const [only] = rest;
  const isText = rest.length === 1 && only !== undefined && rawFieldsOf(only)?.["input"] === true;
  const items = rest.flatMap((message, index) =>
    buildItems(message, { path: `messages[${leading + index}]`, report, model, marks }),
  );
  const isElsewhere = extra?.[RESPONSES]?.["conversation"] !== undefined;
  const reachesFar = isElsewhere || items.some(({ type }) => type === "item_reference");
  return {
    ...(leading === 0 ? {} : { instructions }),
    input: isText ? only.blocks.map(textIn).join("") : repairItems(items, report, reachesFar),
  };
}

interface LossFacts {
  readonly request: ChatRequest;
  readonly model: ModelTraits;
  /** How many messages go into `instructions`. */
  readonly leading: number;
}

const LOSSES: readonly LossRule<LossFacts>[] = [
  { lost: "messages.prefill", when: ({ request }) => hasPrefill(request) },
  { lost: "reasoning", when: ({ request, model }) => lacksReasoning(request, model) },
  {
    lost: "cache_control",
    when: ({ request, leading }) =>
      request.messages
        .slice(0, leading)
        .some(({ blocks }) => blocks.some(({ cache }) => cache !== undefined)),
  },
];

/**
 * Calls since the last question whose reasoning nobody has any more: the caller had no place for it,
 * and the gateway has forgotten it. The model goes on without.
 */
function lacksReasoning(request: ChatRequest, model: ModelTraits): boolean {
  const { messages, reasoning } = request;
  const { efforts = [] } = model.reasoningControls ?? {};
  // Models that know "none" do not reason unless they are asked to.
  const effort = reasoning?.effort ?? (efforts.includes("none") ? "none" : efforts[0]);
  const reasons = effort !== undefined && effort !== "none";
  if (!reasons || rawFieldsOf(request) !== undefined) return false;
  const asked = messages.findLastIndex(isQuestion);
  const blocks = messages.slice(asked + 1).flatMap((message) => message.blocks);
  const isReasoned = blocks.some((block) => block.type === "reasoning");
  return asked >= 0 && !isReasoned && blocks.some(({ type }) => type === "tool_call");
}

function isQuestion({ role, blocks }: Message): boolean {
  return role === "user" && !blocks.some(({ type }) => type === "tool_result");
}

/**
 * How many messages go into `instructions`: what a caller of this style put
 * there, and what callers of other styles say first. Something must remain,
 * since there is no request without input. A breakpoint has its place in the
 * input only.
 */
function countInstructions(messages: readonly Message[], marks: BreakpointPlan["marks"]): number {
  const [first] = messages;
  if (first === undefined) return 0;
  if (isOwn(first)) return rawFieldsOf(first)?.["instructions"] === true ? 1 : 0;
  const leading = messages.findIndex((message) => !isInstruction(message));
  const isMarked = messages
    .slice(0, leading)
    .some(({ blocks }) => blocks.some((each) => marks.has(each)));
  return leading < 0 || isMarked ? 0 : leading;
}

function isInstruction(message: Message): boolean {
  return (
    message.role === "system" &&
    !isOwn(message) &&
    message.name === undefined &&
    message.blocks.every(({ type }) => type === "text")
  );
}
