import type { ChatEvent, FinishReason } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { Json } from "#lib/json.ts";
import { GEMINI } from "./raw-fields.ts";

/** What ends an answer. A call of a tool has no word of its own. */
const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  // What one request brings; the rest comes for a token.
  ["CONTINUATION", "length"],
  ["SAFETY", "content_filter"],
  ["RECITATION", "content_filter"],
  ["BLOCKLIST", "content_filter"],
  ["PROHIBITED_CONTENT", "content_filter"],
  ["SPII", "content_filter"],
  ["MODEL_ARMOR", "content_filter"],
  ["IMAGE_SAFETY", "content_filter"],
  ["IMAGE_PROHIBITED_CONTENT", "content_filter"],
  ["IMAGE_RECITATION", "content_filter"],
]);

/** Some servers give the number that stands for the word; beyond these, they differ. */
const NUMBERED = ["", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION"];

/** The word itself; `undefined` where the answer goes on. */
export function reasonIn(wire: Json | undefined): string | undefined {
  const word = typeof wire === "number" ? (NUMBERED[wire] ?? "OTHER") : wire;
  return typeof word === "string" && word !== "" && !word.endsWith("_UNSPECIFIED")
    ? word
    : undefined;
}

/** Throws for a call that cannot be read: there is no answer then. A word nobody knows is still an end. */
export function parseFinish(word: string, hasCalls: boolean): FinishReason {
  if (word === "MISSING_THOUGHT_SIGNATURE") {
    throw new GatewayError(
      "upstream_failed",
      "The upstream's model lacks the thought signatures of earlier tool calls.",
    );
  }
  if (word === "MALFORMED_RESPONSE") {
    throw new GatewayError("upstream_failed", "The upstream's model returned no valid content.");
  }
  if (word.startsWith("MALFORMED")) {
    throw new GatewayError(
      "upstream_failed",
      "The upstream's model returned an invalid tool call.",
    );
  }
  const reason = REASONS.get(word) ?? "other";
  return hasCalls && (reason === "stop" || reason === "other") ? "tool_calls" : reason;
}

/** An answer that is longer than one request brings goes on for the token that came with its end. */
export function continuation(
  end: Extract<ChatEvent, { type: "finish" }>,
): { readonly continuationToken: string } | undefined {
  const { finishReason, continuationToken } = end.extra?.[GEMINI] ?? {};
  if (finishReason !== "CONTINUATION") return undefined;
  return typeof continuationToken === "string" && continuationToken !== ""
    ? { continuationToken }
    : undefined;
}

export const FINISH_WORDS: Readonly<Record<FinishReason, string>> = {
  stop: "STOP",
  length: "MAX_TOKENS",
  tool_calls: "STOP",
  content_filter: "SAFETY",
  other: "OTHER",
};
