import type { Reasoning } from "#core/chat.ts";
import type { Json } from "#lib/json.ts";
import { defined, flagOf, integerOf, memberOf, textOf } from "#lib/values.ts";

/** Budget, level and the wish to see the thoughts; an empty level is the vendor's own default. */
export function parseReasoning(thinkingConfig: Json | undefined): Reasoning | undefined {
  const level = textOf(memberOf(thinkingConfig, "thinkingLevel"))?.toLowerCase();
  const reasoning: Reasoning = defined({
    effort: level === undefined || UNSAID.has(level) ? undefined : level,
    budgetTokens: integerOf(memberOf(thinkingConfig, "thinkingBudget")),
    visible: flagOf(memberOf(thinkingConfig, "includeThoughts")),
  });
  return Object.keys(reasoning).length === 0 ? undefined : reasoning;
}

const UNSAID: ReadonlySet<string> = new Set(["", "thinking_level_unspecified"]);
