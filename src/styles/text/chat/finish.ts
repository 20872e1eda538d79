import type { FinishReason } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";

/** Every word for an end that is in use, whoever uses it. */
const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ["stop", "stop"],
  ["eos", "stop"],
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_calls", "tool_calls"],
  ["tool_call", "tool_calls"],
  ["tool_use", "tool_calls"],
  ["function_call", "tool_calls"],
  ["content_filter", "content_filter"],
  ["safety", "content_filter"],
  ["sensitive", "content_filter"],
  ["recitation", "content_filter"],
  ["refusal", "content_filter"],
]);

/** An end that is none: the server gave up. */
const FAILURES: ReadonlySet<string> = new Set([
  "error",
  "abort",
  "network_error",
  "insufficient_system_resource",
]);

/** Throws for an end that is a failure; a word nobody knows is still an end. */
export function parseFinish(reason: string): FinishReason {
  if (isFailure(reason)) {
    throw new GatewayError("upstream_failed", "The upstream aborted its response.");
  }
  return REASONS.get(reason) ?? "other";
}

/** Whether it is a word for an end, and not the words that ended it. */
export function isReason(word: string): boolean {
  return REASONS.has(word) || FAILURES.has(word);
}

export function isFailure(reason: string): boolean {
  return FAILURES.has(reason);
}

export const FINISH_WORDS: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
  other: "stop",
};
