import type { LossReport } from "#core/lossy.ts";
import type { JsonObject } from "#lib/json.ts";
import { GO_ON } from "#styles/text/prefill.ts";
import type { ChatDialect } from "./dialect.ts";

/** A conversation whose last message is the beginning of the answer; a model that cannot continue it is asked to. */
export function withPrefill(
  messages: readonly JsonObject[],
  { prefill }: ChatDialect,
  report: LossReport,
): readonly JsonObject[] {
  const last = messages.at(-1);
  if (prefill === "always" || last?.["role"] !== "assistant") return messages;
  if (prefill === undefined) {
    report.lose("messages.prefill");
    return [...messages, { role: "user", content: GO_ON }];
  }
  return [...messages.slice(0, -1), { ...last, [prefill]: true }];
}
