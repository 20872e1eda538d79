import type { ChatEvent, FinishReason } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, textOf } from "#lib/values.ts";
import { MESSAGES } from "./raw-fields.ts";

type Finish = Extract<ChatEvent, { type: "finish" }>;

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "tool_calls"],
  ["refusal", "content_filter"],
]);

/** Ends that only this style tells apart, by the hub's word for them. */
const OWN_WORDS: Partial<Record<FinishReason, readonly string[]>> = {
  length: ["model_context_window_exceeded"],
  other: ["pause_turn", "compaction"],
};

/** `end`: what an answer, or the events at its end, says of it. */
export function readFinish(end: JsonObject, hasCalls: boolean): Finish {
  const word = textOf(end["stop_reason"]);
  const known = word === undefined ? undefined : REASONS.get(word);
  // A paused turn goes on, and its calls are not the caller's.
  const isCalling = hasCalls && (known === "stop" || (known === undefined && !isOwnWord(word)));
  const reason = isCalling ? "tool_calls" : (known ?? "other");
  const stopSequence = textOf(end["stop_sequence"]);
  const { stop_sequence: _, stop_reason: __, ...rest } = end;
  const own = defined({ ...rest, stop_reason: isOwnWord(word) ? word : undefined });
  return {
    type: "finish",
    choice: 0,
    reason,
    ...((word ?? "") === "" && { isUnstated: true }),
    ...defined({
      stopSequence: word === "stop_sequence" ? stopSequence : undefined,
      extra: Object.keys(own).length === 0 ? undefined : { [MESSAGES]: own },
    }),
  };
}

function isOwnWord(word = ""): boolean {
  return Object.values(OWN_WORDS).some((words) => words.includes(word));
}

const WORDS: Readonly<Record<FinishReason, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
  other: "end_turn",
};

/** Clients run tools by the reason alone, so calls are always told of. */
export function stopOf({ reason, stopSequence, extra }: Finish, hasCalls: boolean): JsonObject {
  const own = textOf(extra?.[MESSAGES]?.["stop_reason"]);
  if (own !== undefined && OWN_WORDS[reason]?.includes(own) === true) {
    return { stop_reason: own, stop_sequence: null };
  }
  if (hasCalls && (reason === "stop" || reason === "other")) {
    return { stop_reason: "tool_use", stop_sequence: null };
  }
  if (reason === "stop" && stopSequence !== undefined) {
    return { stop_reason: "stop_sequence", stop_sequence: stopSequence };
  }
  return { stop_reason: WORDS[reason], stop_sequence: null };
}

/** What an answer says of itself beside its reason, in the place each has. */
export const END_MEMBERS = ["stop_details", "container", "context_management"] as const;
