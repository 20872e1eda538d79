import { refuse, type LossReport } from "#core/lossy.ts";
import { itemsOf, textIn } from "./unknown.ts";

/** Without these the answer would be to another question. */
const VITAL = /^(?:tools?\b|tool_?choice|tool_?content|response_?format)/i;

/** What a package could not carry, which it only says once it was asked. */
export function readWarnings(warnings: unknown, report: LossReport): void {
  for (const warning of itemsOf(warnings)) {
    const feature = textIn(warning, "feature") ?? textIn(warning, "setting");
    if (textIn(warning, "type")?.startsWith("unsupported") !== true || feature === undefined)
      continue;
    const field = wireName(feature);
    if (VITAL.test(feature)) throw refuse(field, "this upstream's library does not support it.");
    report.lose(field);
  }
}

/** `frequencyPenalty` is `frequency_penalty` to most callers. */
function wireName(feature: string): string {
  return feature
    .replaceAll(/[^A-Za-z0-9._-]+/g, "_")
    .replaceAll(/[a-z][A-Z]/g, ([a = "", b = ""]) => `${a}_${b.toLowerCase()}`)
    .slice(0, 64);
}
