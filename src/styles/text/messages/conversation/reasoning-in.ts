import type { Reasoning } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, integerOf, memberOf, textOf } from "#lib/values.ts";

/** A switch with a budget, or the model's own measure with an effort. */
export function parseReasoning(body: JsonObject): Reasoning | undefined {
  const { thinking } = body;
  const type = textOf(memberOf(thinking, "type"));
  const isOn = type === "enabled" || type === "adaptive" || type === "between_tools";
  const reasoning: Reasoning = defined({
    effort: textOf(memberOf(body["output_config"], "effort")),
    enabled: type === undefined ? undefined : isOn,
    budgetTokens: isOn ? integerOf(memberOf(thinking, "budget_tokens")) : undefined,
    visible: isOn ? memberOf(thinking, "display") !== "omitted" : undefined,
  });
  return Object.keys(reasoning).length === 0 ? undefined : reasoning;
}
