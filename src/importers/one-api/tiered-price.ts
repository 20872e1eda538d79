import type { JsonObject } from "#lib/json.ts";
import { writeRate } from "../amounts.ts";

/** Rates here by the letters of the expression: dollars per million tokens. */
const RATES: Readonly<Record<string, string>> = {
  p: "input",
  c: "output",
  cr: "cached_input",
  cc: "cache_write",
  cc1h: "long_cache_write",
  img: "image_input",
  img_o: "image_output",
  ai: "audio_input",
  ao: "audio_output",
};
const TIER = /^tier\(\s*"[^"]*"\s*,\s*([^()]+)\)$/;
const TERM = /^([a-z_0-9]+)\s*\*\s*(\d+(?:\.\d+)?)$/;
const BOUND = /^len\s*<=\s*(\d+)\s*\?\s*(tier\([^()]*\))\s*:\s*(.+)$/s;

/**
 * Prices by the length of the input, as new-api writes them:
 * `len <= 200000 ? tier("a", p * 1.5 + c * 7.5) : tier("b", p * 3 + c * 11.25)`.
 * Undefined for another expression.
 */
export function readTieredPrice(expression: string): JsonObject | undefined {
  const variants: JsonObject[] = [];
  let rest = expression.trim();
  let base: JsonObject | undefined;
  let above: number | undefined;
  for (;;) {
    const [, bound, tier, others] = BOUND.exec(rest) ?? [];
    const rates = ratesOf(tier ?? rest);
    if (rates === undefined) return undefined;
    if (base === undefined) base = rates;
    else variants.push({ when: { above_input_tokens: above ?? 0 }, ...rates });
    if (bound === undefined || others === undefined) break;
    above = Number(bound);
    rest = others.trim();
  }
  if (base["input"] === undefined || base["output"] === undefined) return undefined;
  return { ...base, ...(variants.length === 0 ? {} : { variants }) };
}

function ratesOf(tier: string): JsonObject | undefined {
  const [, sum] = TIER.exec(tier.trim()) ?? [];
  const rates: Record<string, string> = {};
  for (const term of sum?.split("+") ?? []) {
    const [, letter = "", factor] = TERM.exec(term.trim()) ?? [];
    const rate = RATES[letter];
    if (rate === undefined || factor === undefined) return undefined;
    rates[rate] = writeRate(Number(factor));
  }
  return sum === undefined ? undefined : rates;
}
