import type { CallRecord } from "#core/call.ts";
import { writeUsd } from "#core/money.ts";

/** A fact about a call that its answer may name in a header. */
export type AnswerHeader = "cost" | "overhead" | "channel" | "streams";

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

type Charged = Parameters<typeof answerHeaders>[0];

/** The same facts as comments at the end of a stream of events, which clients skip. */
export function chargeComments(
  record: Charged,
  shown: readonly AnswerHeader[],
): string | undefined {
  if (!shown.includes("streams")) return undefined;
  const lines = Object.entries(answerHeaders(record, shown)).map(
    ([name, value]) => `: ${name} ${value}\n\n`,
  );
  return lines.length === 0 ? undefined : lines.join("");
}

/** The same facts as an event, for a WebSocket, which has no comments. */
export function chargeEvent(record: Charged, shown: readonly AnswerHeader[]): string | undefined {
  if (!shown.includes("streams")) return undefined;
  const headers = Object.entries(answerHeaders(record, shown));
  const facts = headers.map(([name, value]) => [name.replaceAll("-", "_"), value] as const);
  if (facts.length === 0) return undefined;
  return `data: ${JSON.stringify({ type: "sluice.charge", ...Object.fromEntries(facts) })}\n\n`;
}

/** A header holds ASCII only. */
function written(name: string): string {
  return name.toWellFormed().replaceAll(/[^\x20-\x7e]|%/gu, encodeURIComponent);
}
