import type { LossReport } from "#core/lossy.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";

/** What vendors take in one request. */
const MAX_MARKS = 4;

/**
 * Caching marks as vendors accept them: four at most, none for an hour behind
 * one for five minutes. The first stays, which ends what changes least, and
 * the last ones, which end the most.
 */
export function limitMarks(
  system: Json | undefined,
  messages: readonly JsonObject[],
  report: LossReport,
): { readonly system: Json | undefined; readonly messages: readonly JsonObject[] } {
  const all = [...marksIn(system), ...messages.flatMap(({ content }) => marksIn(content))];
  const kept = [...all.slice(0, 1), ...all.slice(1).slice(1 - MAX_MARKS)];
  const firstShort = kept.findIndex((block) => !isLong(block));
  const shortened = firstShort < 0 ? [] : kept.slice(firstShort).filter(isLong);
  if (kept.length === all.length && shortened.length === 0) return { system, messages };

  report.lose("cache_control");
  const isKept = new Set(kept);
  const isShortened = new Set(shortened);
  const fit = (content: Json | undefined): Json => {
    if (!isArray(content)) return content ?? null;
    return content.map((block) => {
      if (!isObject(block) || block["cache_control"] === undefined) return block;
      const { cache_control: _, ...rest } = block;
      if (!isKept.has(block)) return rest;
      return isShortened.has(block) ? { ...rest, cache_control: { type: "ephemeral" } } : block;
    });
  };
  return {
    system: system === undefined ? undefined : fit(system),
    messages: messages.map((message) => ({ ...message, content: fit(message["content"]) })),
  };
}

function marksIn(content: Json | undefined): readonly JsonObject[] {
  if (!isArray(content)) return [];
  return content.filter(isObject).filter((block) => block["cache_control"] !== undefined);
}

function isLong(block: JsonObject): boolean {
  const control = block["cache_control"];
  return isObject(control) && control["ttl"] === "1h";
}
