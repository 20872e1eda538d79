import type { Reasoning } from "#core/chat.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, flagOf, integerOf, memberOf, textOf } from "#lib/values.ts";

/**
 * Reasoning as any family's callers ask for it: an effort, a switch, a budget
 * or a level. The vendor's name that some of them stand under does not matter.
 */
export function parseReasoning(body: JsonObject): Reasoning | undefined {
  const thinking = body["thinking"];
  const nested = body["reasoning"];
  const config = vendorConfig(body);
  const level = memberOf(memberOf(body["generationConfig"], "thinkingConfig"), "thinkingLevel");
  const effort =
    textOf(body["reasoning_effort"]) ??
    textOf(memberOf(nested, "effort")) ??
    textOf(level)?.toLowerCase();
  const reasoning: Reasoning = defined({
    effort,
    enabled:
      switchOf(memberOf(thinking, "type")) ??
      flagOf(body["enable_thinking"]) ??
      flagOf(memberOf(nested, "enabled")),
    budgetTokens:
      integerOf(memberOf(thinking, "budget_tokens")) ??
      integerOf(body["thinking_budget"]) ??
      integerOf(memberOf(nested, "max_tokens")) ??
      integerOf(memberOf(config, "thinking_budget")),
    visible: flagOf(memberOf(config, "include_thoughts")) ?? shown(memberOf(nested, "exclude")),
  });
  return Object.keys(reasoning).length === 0 ? undefined : reasoning;
}

/** What stands beside reasoning in the members that hold more than that. */
export function withoutReasoning(body: JsonObject): Record<string, Json> {
  const kept: Record<string, Json> = {};
  const config = body["generationConfig"];
  if (isObject(config)) {
    const { thinkingConfig: _, ...rest } = config;
    if (Object.keys(rest).length > 0) kept["generationConfig"] = rest;
  }
  const extra = body["extra_body"];
  if (isObject(extra)) {
    const vendors = Object.entries(extra).map(
      ([name, value]) => [name, withoutConfig(value)] as const,
    );
    const rest = vendors.filter(([, value]) => value !== undefined);
    if (rest.length > 0) kept["extra_body"] = Object.fromEntries(rest);
  }
  return kept;
}

function withoutConfig(vendor: Json | undefined): Json | undefined {
  if (!isObject(vendor)) return vendor;
  const { thinking_config: _, ...rest } = vendor;
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/**
 * Some client libraries write the members of `extra_body` into the body
 * itself, so the vendor's own object may stand in either place.
 */
function vendorConfig(body: JsonObject): Json | undefined {
  for (const place of [body["extra_body"], body]) {
    if (!isObject(place)) continue;
    for (const name in place) {
      const config = memberOf(place[name], "thinking_config");
      if (config !== undefined) return config;
    }
  }
  return undefined;
}

function switchOf(type: Json | undefined): boolean | undefined {
  if (typeof type !== "string") return undefined;
  return type !== "disabled";
}

function shown(excluded: Json | undefined): boolean | undefined {
  return typeof excluded === "boolean" ? !excluded : undefined;
}
