import { countTokens, splitTokens } from "../engine/tokens.ts";
import type { Draft } from "./drafts.ts";

export interface CutAnswer {
  readonly drafts: readonly Draft[];
  readonly end:
    | { readonly kind: "complete" }
    | { readonly kind: "length" }
    | { readonly kind: "stop"; readonly sequence: string };
}

/** Ends an answer at the first stop sequence of its text, or where its tokens are used up; thoughts count, too. */
export function cutDrafts(drafts: readonly Draft[], limits: Limits): CutAnswer {
  const kept: Draft[] = [];
  const budget = { left: limits.maxTokens };
  for (const draft of drafts) {
    const sequence = draft.kind === "text" ? firstStop(draft.text, limits.stop) : undefined;
    const wanted =
      sequence === undefined || draft.kind !== "text"
        ? draft
        : { ...draft, text: draft.text.slice(0, draft.text.indexOf(sequence)) };
    const cut = shorten(wanted, budget);
    if (cut !== undefined) kept.push(cut);
    if (budget.left < 0) return { drafts: kept, end: { kind: "length" } };
    if (sequence !== undefined) return { drafts: kept, end: { kind: "stop", sequence } };
  }
  return { drafts: kept, end: { kind: "complete" } };
}

interface Limits {
  readonly maxTokens: number;
  readonly stop: readonly string[];
}

/** Of several that occur, the one that comes first. */
function firstStop(text: string, stop: readonly string[]): string | undefined {
  const found = stop.filter((sequence) => text.includes(sequence));
  return found.toSorted((a, b) => text.indexOf(a) - text.indexOf(b))[0];
}

/** `undefined` where nothing is left of it. The budget falls below zero when something was cut. */
function shorten(draft: Draft, budget: Budget): Draft | undefined {
  switch (draft.kind) {
    case "thinking":
    case "redacted_thinking":
    case "text": {
      const text = within(draft.text, budget);
      return text === "" ? undefined : { ...draft, text };
    }
    case "call":
    case "server_call": {
      if (budget.left <= 0) {
        budget.left = -1;
        return undefined;
      }
      budget.left -= countTokens(draft.name);
      return { ...draft, input: within(draft.input, budget) };
    }
    case "server_result":
      return draft;
  }
}

interface Budget {
  left: number;
}

function within(text: string, budget: Budget): string {
  let kept = "";
  for (const token of splitTokens(text)) {
    if (--budget.left < 0) return kept;
    kept += token;
  }
  return kept;
}
