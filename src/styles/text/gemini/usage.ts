import type { ChatEvent } from "#core/chat.ts";
import { usageOf, withSearches, withServed, type Usage } from "#core/usage.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { integerOf, listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { GEMINI } from "./raw-fields.ts";

/**
 * Usage as servers of this style report it, in every chunk and each time in
 * full; `undefined` where it says nothing yet, or nothing that can be true.
 * Thoughts are beside the answer's tokens, and what the vendor's own tools
 * read is beside the prompt's.
 */
export function parseUsage(wire: Json | undefined): Usage | undefined {
  if (!isObject(wire)) return undefined;
  const prompt = integerOf(wire["promptTokenCount"]);
  if (prompt === undefined) return undefined;
  const thoughts = countOf(wire, "thoughtsTokenCount");
  const total = integerOf(wire["totalTokenCount"]);
  const toolUse = countOf(wire, "toolUsePromptTokenCount");
  const candidates =
    integerOf(wire["candidatesTokenCount"]) ??
    Math.max(0, (total ?? 0) - prompt - thoughts - toolUse);

  const output = candidates + thoughts;
  // Where the total has no room for it, it is part of the prompt already.
  const isBeside = total === undefined || total >= prompt + output + toolUse;
  const input = prompt + (isBeside ? toolUse : 0);
  if (input + output === 0) return undefined;
  const usage = usageOf({
    inputTokens: input,
    cachedInputTokens: countOf(wire, "cachedContentTokenCount"),
    audioInputTokens: uncached(wire, "AUDIO"),
    imageInputTokens: uncached(wire, "IMAGE"),
    outputTokens: output,
    reasoningTokens: thoughts,
    audioOutputTokens: tokensOf("AUDIO", wire["candidatesTokensDetails"]),
    // Films are pictures here: no vendor sells both in one answer.
    imageOutputTokens:
      tokensOf("IMAGE", wire["candidatesTokensDetails"]) +
      tokensOf("VIDEO", wire["candidatesTokensDetails"]),
  });
  return usage && withServed(usage, { serviceTier: wire["serviceTier"] });
}

/**
 * Usage of a whole answer or chunk. The vendor may answer with another model
 * than the one that was called, which the answer names.
 */
export function usageIn(body: JsonObject): Usage | undefined {
  const counted = parseUsage(body["usageMetadata"]);
  const usage = counted && withSearches(counted, searchesIn(body));
  const servedBy = textOf(body["modelVersion"]) ?? "";
  return usage === undefined || servedBy === "" ? usage : { ...usage, servedBy };
}

/** Queries that the vendor's search tool was asked in a whole answer or so far in a stream. */
export function searchesIn(body: JsonObject): number {
  const queries = listOf(body["candidates"]).flatMap((candidate) => {
    const grounding = memberOf(candidate, "groundingMetadata");
    return [
      ...listOf(memberOf(grounding, "webSearchQueries")),
      ...listOf(memberOf(grounding, "imageSearchQueries")),
    ];
  });
  return queries.filter((query) => (textOf(query) ?? "").trim() !== "").length;
}

/** The vendor's own report where it is one of this style, with all that it tells. */
export function usageMetadataOf({
  usage,
  extra,
}: Extract<ChatEvent, { type: "usage" }>): JsonObject {
  return objectOf(extra?.[GEMINI]?.["usageMetadata"]) ?? buildUsage(usage);
}

function buildUsage(usage: Usage): JsonObject {
  const { inputTokens, outputTokens, reasoningTokens } = usage;
  const { audioInputTokens, imageInputTokens = 0 } = usage;
  const { audioOutputTokens, imageOutputTokens = 0 } = usage;
  const candidates = outputTokens - reasoningTokens;
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: candidates,
    totalTokenCount: inputTokens + outputTokens,
    thoughtsTokenCount: reasoningTokens,
    cachedContentTokenCount: usage.cachedInputTokens,
    ...details("promptTokensDetails", inputTokens, audioInputTokens, imageInputTokens),
    ...details("candidatesTokensDetails", candidates, audioOutputTokens, imageOutputTokens),
  };
}

/** Only where there is more than text. */
function details(name: string, total: number, audio: number, image: number): JsonObject {
  if (audio + image === 0) return {};
  return {
    [name]: [
      { modality: "TEXT", tokenCount: Math.max(0, total - audio - image) },
      ...(audio > 0 ? [{ modality: "AUDIO", tokenCount: audio }] : []),
      ...(image > 0 ? [{ modality: "IMAGE", tokenCount: image }] : []),
    ],
  };
}

type Modality = "AUDIO" | "IMAGE" | "VIDEO";

/** What was heard or seen from the cache counts as cached. */
function uncached(wire: JsonObject, modality: Modality): number {
  const { promptTokensDetails: all, cacheTokensDetails: cached } = wire;
  return Math.max(0, tokensOf(modality, all) - tokensOf(modality, cached));
}

function tokensOf(modality: Modality, details: Json | undefined): number {
  return listOf(details)
    .filter((one) => memberOf(one, "modality") === modality)
    .reduce<number>((sum, one) => sum + (integerOf(memberOf(one, "tokenCount")) ?? 0), 0);
}

function countOf(wire: JsonObject, name: string): number {
  return Math.max(0, integerOf(wire[name]) ?? 0);
}
