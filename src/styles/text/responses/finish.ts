import type { FinishReason } from "#core/chat.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { memberOf, textOf } from "#lib/values.ts";

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ["max_output_tokens", "length"],
  ["max_tokens", "length"],
  ["content_filter", "content_filter"],
]);

/** Why a response ended; one that ended with calls is complete all the same. */
export function parseFinish(response: JsonObject, hasCalls: boolean): FinishReason {
  if (response["status"] === "incomplete" || isObject(response["incomplete_details"])) {
    return REASONS.get(reasonIn(response) ?? "") ?? "other";
  }
  return hasCalls ? "tool_calls" : "stop";
}

/** Some servers leave out the status of a complete response. */
export function saysNoEnd({ status, incomplete_details: details }: JsonObject): boolean {
  return status === undefined && !isObject(details);
}

export function reasonIn(response: JsonObject): string | undefined {
  return textOf(memberOf(response["incomplete_details"], "reason"));
}

export interface Ending {
  readonly status: "completed" | "incomplete";
  readonly incomplete_details: Json;
}

const INCOMPLETE: Partial<Record<FinishReason, string>> = {
  length: "max_output_tokens",
  content_filter: "content_filter",
};

/** `ownReason`: in the words of an upstream of this style, where the hub has none for it. */
export function buildEnding(finish: FinishReason, ownReason: string | undefined): Ending {
  const reason = INCOMPLETE[finish] ?? (finish === "other" ? ownReason : undefined);
  return reason === undefined
    ? { status: "completed", incomplete_details: null }
    : { status: "incomplete", incomplete_details: { reason } };
}
