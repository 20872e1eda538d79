import type { RedactionKind } from "#core/content-log.ts";
import { StepBudget, type LinearPattern, type TextSpan } from "#lib/linear-pattern.ts";
import { FIND_KIND } from "./redaction-kinds.ts";

interface RedactionRules {
  readonly kinds: readonly RedactionKind[];
  readonly patterns: readonly LinearPattern[];
}

interface Redaction extends TextSpan {
  readonly label: string;
}

/** Stands for a text that a pattern of the operator matched. */
const OWN_LABEL = "[redacted]";
/** Shorter texts hold nothing that a kind could match. */
const MIN_CHARS = 6;

/** Replaces the texts that must not be stored by their kind. One is used for one call. */
export class Redactor {
  readonly #rules: RedactionRules;
  readonly #budget: StepBudget;

  constructor(rules: RedactionRules, maxSteps: number) {
    this.#rules = rules;
    this.#budget = new StepBudget(maxSteps);
  }

  /** Throws `StepLimitExceeded`. */
  redact(text: string): string {
    return this.redactJoined([text])[0] ?? text;
  }

  /** The same for parts of one text, each of which keeps its place. */
  redactJoined(parts: readonly string[]): readonly string[] {
    const redactions = this.#find(parts.join(""));
    if (redactions.length === 0) return parts;
    let from = 0;
    return parts.map((part) => {
      const to = from + part.length;
      const written = writePart(part, from, redactions);
      from = to;
      return written;
    });
  }

  /** In order, without overlaps. */
  #find(text: string): readonly Redaction[] {
    const { kinds, patterns } = this.#rules;
    const found: Redaction[] = [];
    for (const pattern of patterns) {
      const spans = pattern.findAll(text, this.#budget);
      found.push(...spans.map((span) => ({ ...span, label: OWN_LABEL })));
    }
    if (text.length >= MIN_CHARS) {
      for (const kind of kinds) {
        found.push(...FIND_KIND[kind](text).map((span) => ({ ...span, label: `[${kind}]` })));
      }
    }
    return merge(found);
  }
}

function merge(found: readonly Redaction[]): readonly Redaction[] {
  const merged: Redaction[] = [];
  for (const each of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || each.start >= last.end) merged.push(each);
    else if (each.end > last.end) merged[merged.length - 1] = { ...last, end: each.end };
  }
  return merged;
}

/** The label stands in the part in which the redacted text begins. */
function writePart(part: string, from: number, redactions: readonly Redaction[]): string {
  const to = from + part.length;
  let out = "";
  let at = from;
  for (const { start, end, label } of redactions) {
    if (end <= from || start >= to) continue;
    out += part.slice(at - from, Math.max(start, from) - from);
    if (start >= from) out += label;
    at = Math.min(end, to);
  }
  return out + part.slice(at - from);
}
