import type { Answer, RequestSpec, ToolCall } from "./conversation.ts";
import { countTokens, splitTokens } from "./tokens.ts";

/** Cuts at the first stop sequence, and at the token limit: reasoning counts first, then text, then calls. */
export function limitAnswer(answer: Answer, limits: Limits): Answer {
  const stopped = {
    ...answer,
    reasoning: within(answer.reasoning, { left: limits.maxReasoningTokens ?? Infinity }),
    text: beforeStop(answer.text, limits.stop),
  };
  if (limits.maxTokens === undefined) return stopped;

  const budget = { left: limits.maxTokens };
  const reasoning =
    limits.limitCovers === "answer" ? stopped.reasoning : within(stopped.reasoning, budget);
  const text = within(stopped.text, budget);
  const refusal = answer.refusal === undefined ? undefined : within(answer.refusal, budget);
  const calls = stopped.calls.flatMap((call): readonly ToolCall[] => {
    if (budget.left <= 0) return [];
    budget.left -= countTokens(call.name);
    return [{ ...call, input: within(call.input, budget) }];
  });

  const isCut = budget.left < 0;
  return {
    reasoning,
    text,
    ...(refusal === undefined ? {} : { refusal }),
    calls,
    finish: isCut ? "length" : answer.finish,
  };
}

type Limits = Pick<RequestSpec, "maxTokens" | "limitCovers" | "maxReasoningTokens" | "stop">;

function beforeStop(text: string, stop: readonly string[]): string {
  const found = stop.map((each) => (each === "" ? -1 : text.indexOf(each))).filter((at) => at >= 0);
  return found.length === 0 ? text : text.slice(0, Math.min(...found));
}

/** Takes from the budget what the whole text costs, so that a cut leaves it below zero. */
function within(text: string, budget: { left: number }): string {
  let kept = "";
  for (const token of splitTokens(text)) {
    if (--budget.left < 0) return kept;
    kept += token;
  }
  return kept;
}
