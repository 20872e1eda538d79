import type { FinishReason } from "#core/chat.ts";
import { membersOf, textIn } from "./unknown.ts";

export function readStopSequence(metadata: unknown): string | undefined {
  return Object.values(membersOf(metadata))
    .map((own) => textIn(own, "stopSequence"))
    .find((sequence) => sequence !== undefined && sequence !== "");
}

const REASONS: ReadonlyMap<string | undefined, FinishReason> = new Map([
  ["stop", "stop"],
  ["length", "length"],
  ["content-filter", "content_filter"],
  ["tool-calls", "tool_calls"],
]);

/** Some vendors end with a plain stop where tools are to be called. */
export function readReason(unified: string | undefined, hasCalls: boolean): FinishReason {
  const reason = REASONS.get(unified) ?? "other";
  return hasCalls && (reason === "stop" || reason === "other") ? "tool_calls" : reason;
}
