import type { Reasoning } from "#core/chat.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, flagOf, integerOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { readParameter } from "../request/parameters.ts";
import { thinkingConfig, vendorNames, withoutKnown } from "../request/vendor-members.ts";

/**
 * Reasoning as any family's callers ask for it: an effort, a switch, a budget
 * or a level. The vendor's name that some of them stand under does not matter.
 */
export function parseReasoning(body: JsonObject): Reasoning | undefined {
  const thinking = body["thinking"];
  const nested = body["reasoning"];
  const config = thinkingConfig(body);
  const native = memberOf(body["generationConfig"], "thinkingConfig");
  const level =
    textOf(memberOf(native, "thinkingLevel")) ?? textOf(memberOf(config, "thinking_level"));
  const vendorBudget =
    integerOf(memberOf(config, "thinking_budget")) ?? integerOf(memberOf(native, "thinkingBudget"));
  const reasoning: Reasoning = defined({
    effort:
      textOf(body["reasoning_effort"]) ??
      textOf(memberOf(nested, "effort")) ??
      level?.toLowerCase(),
    enabled:
      switchOf(memberOf(thinking, "type")) ??
      flagOf(body["enable_thinking"]) ??
      flagOf(memberOf(nested, "enabled")),
    budgetTokens:
      integerOf(memberOf(thinking, "budget_tokens")) ??
      integerOf(readParameter(body, "thinking_budget")) ??
      integerOf(memberOf(nested, "max_tokens")) ??
      vendorBudget,
    visible:
      flagOf(memberOf(config, "include_thoughts")) ??
      flagOf(memberOf(native, "includeThoughts")) ??
      shown(memberOf(nested, "exclude")) ??
      // Who names a level or a budget of this family wants to see what it is spent on.
      (level !== undefined || (vendorBudget ?? 0) > 0 ? true : undefined),
  });
  return Object.keys(reasoning).length === 0 ? undefined : reasoning;
}

/**
 * What stands beside reasoning in the members that hold more than that.
 * `known`: the members of a vendor's object that were taken in.
 */
export function withoutReasoning(body: JsonObject, known: readonly string[]): Record<string, Json> {
  const kept: Record<string, Json> = {};
  const keep = (name: string, value: Json | undefined): void => {
    if (value !== undefined && value !== null) kept[name] = value;
  };
  keep("generationConfig", withoutKnown(body["generationConfig"], ["thinkingConfig"]));
  for (const name of vendorNames(body)) keep(name, withoutKnown(body[name], known));

  const nested = Object.entries(objectOf(body["extra_body"]) ?? {})
    .map(([name, vendor]) => [name, withoutKnown(vendor, known)] as const)
    .filter(([, vendor]) => vendor !== undefined);
  if (nested.length > 0) keep("extra_body", Object.fromEntries(nested));
  return kept;
}

function switchOf(type: Json | undefined): boolean | undefined {
  return typeof type === "string" ? type !== "disabled" : undefined;
}

function shown(excluded: Json | undefined): boolean | undefined {
  return typeof excluded === "boolean" ? !excluded : undefined;
}
