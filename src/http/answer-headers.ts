import type { CallRecord } from "#core/call.ts";
import { writeUsd } from "#core/money.ts";

/** A fact about a call that its answer may name in a header. */
export type AnswerHeader = "cost" | "overhead" | "channel";

/**
 * The chosen headers of a complete answer. The cost is final: such an answer leaves after its
 * settlement.
 */
export function answerHeaders(
  { cost, overheadMs, channel }: Pick<CallRecord, "cost" | "overheadMs" | "channel">,
  shown: readonly AnswerHeader[],
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const each of shown) {
    if (each === "cost") headers["sluice-cost"] = writeUsd(cost);
    else if (each === "channel" && channel !== null) headers["sluice-channel"] = written(channel);
    else if (each === "overhead" && typeof overheadMs === "number")
      headers["sluice-overhead-ms"] = overheadMs.toFixed(2);
  }
  return headers;
}

/** A header holds ASCII only. */
function written(name: string): string {
  return name.toWellFormed().replaceAll(/[^\x20-\x7e]|%/gu, encodeURIComponent);
}
