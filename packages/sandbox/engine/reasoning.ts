import type { ReasoningEffort } from "./conversation.ts";
import type { Prompt } from "./prompt.ts";
import { countTokens } from "./tokens.ts";
import { contentWords } from "./words.ts";

/** Text of the reasoning before an answer; more effort makes it longer. */
export function think(prompt: Prompt, effort: ReasoningEffort): string {
  const wanted = TOKENS[effort];
  if (wanted === 0) return "";
  const subject = contentWords(prompt.gist).slice(0, 6).join(" ") || "the conversation";
  let text = `The user writes about ${subject}.`;
  for (let index = 0; countTokens(text) < wanted; index++)
    text += ` ${STEPS[index % STEPS.length] ?? ""}`;
  return text;
}

const TOKENS: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 6,
  low: 24,
  medium: 64,
  high: 160,
  xhigh: 240,
  max: 320,
};

const STEPS: readonly string[] = [
  "First I look for an instruction that I can follow to the letter.",
  "Then I see whether one of the tools on offer fits.",
  "I check the wanted form of the answer and its length.",
  "Everything I need is in the message itself.",
];
