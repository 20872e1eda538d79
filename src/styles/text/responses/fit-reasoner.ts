import type { OutboundContext } from "#core/style.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { listOf, memberOf } from "#lib/values.ts";

/** What a model does anyway: leaving it out loses nothing. */
const USUAL: ReadonlyMap<string, Json> = new Map<string, Json>([
  ["temperature", 1],
  ["top_p", 1],
]);

/** In which ways a vendor's reading of the style is its own. */
export interface ResponsesDialect {
  /** Members that its reasoning models refuse, unless they are told not to reason. */
  readonly reasonersRefuse?: readonly string[];
}

/** A body without what its model refuses while it reasons. */
export function fitReasoner(
  body: JsonObject,
  { model, dialect, report }: OutboundContext,
): JsonObject {
  const isTold = memberOf(body["reasoning"], "effort") === "none";
  if (model.reasoningControls === undefined || isTold) return body;
  const { reasonersRefuse }: ResponsesDialect = dialect ?? {};
  const refused = listOf(reasonersRefuse);
  const kept = Object.entries(body).filter(([name, value]) => {
    if (!refused.includes(name)) return true;
    if (USUAL.get(name) !== value) report.lose(name);
    return false;
  });
  return Object.fromEntries(kept);
}
