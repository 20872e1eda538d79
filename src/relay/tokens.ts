import { estimateTokens } from "#core/count.ts";
import { fitsIn, NO_USAGE, type Usage } from "#core/usage.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";

/** Longer texts and runs are estimated: byte-pair encoding is quadratic on repeats. */
const MAX_COUNTED_CHARS = 200_000;
const PIECE_CHARS = 400;

type Count = (text: string, options?: { disallowedSpecial?: Set<string> }) => number;
let loading: Promise<Count> | undefined;

/**
 * Tokens of a text by the tokenizer of the newest OpenAI models, for answers
 * whose upstream said nothing. The tokenizer takes a while and some memory to
 * load, so it is loaded when first needed.
 */
export async function countTokens(text: string): Promise<number> {
  if (text === "") return 0;
  if (text.length > MAX_COUNTED_CHARS) return estimateTokens(text);
  loading ??= import("gpt-tokenizer/encoding/o200k_base").then((module) => module.countTokens);
  const count = await loading;

  let tokens = 0;
  for (const piece of pieces(text)) tokens += count(piece, { disallowedSpecial: new Set() });
  return tokens;
}

/** What a call used, counted here because its upstream did not say. */
export async function countUsage(
  request: JsonObject,
  outputText: string,
  uncountedOutputTokens = 0,
): Promise<Usage> {
  const input = textsOf(request["messages"] ?? request).join("\n");
  return {
    ...NO_USAGE,
    inputTokens: fitsIn(await countTokens(input)),
    outputTokens: fitsIn(uncountedOutputTokens + (await countTokens(outputText))),
    isEstimated: true,
  };
}

/** Cut at spaces where there are any, so that few tokens fall across a cut. */
function* pieces(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    let end = Math.min(text.length, start + PIECE_CHARS);
    if (end < text.length) {
      const space = text.lastIndexOf(" ", end);
      if (space > start) end = space;
      // Never between the halves of one character.
      else if (isHighSurrogate(text.charCodeAt(end - 1))) end--;
    }
    yield text.slice(start, end);
    start = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdb_ff;
}

function textsOf(value: Json): string[] {
  if (typeof value === "string") return value.startsWith("data:") ? [] : [value];
  if (isArray(value)) return value.flatMap(textsOf);
  if (!isObject(value)) return [];
  return Object.values(value).flatMap((each) => (each === undefined ? [] : textsOf(each)));
}
