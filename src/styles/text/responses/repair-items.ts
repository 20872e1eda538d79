import type { LossReport } from "#core/lossy.ts";
import type { Json, JsonObject } from "#lib/json.ts";

/** Each kind of call has its own kind of result. */
const RESULT_OF: ReadonlyMap<Json | undefined, string> = new Map([
  ["function_call", "function_call_output"],
  ["custom_tool_call", "custom_tool_call_output"],
]);
const RESULTS: ReadonlySet<Json | undefined> = new Set(RESULT_OF.values());

/** What a call without a result is answered: callers that were interrupted leave such calls behind. */
const INTERRUPTED = "The call was interrupted: there is no result.";

/**
 * Upstreams refuse a call without its result, a result without its call, and
 * reasoning that nothing follows. `reachesFar`: the conversation may go on
 * from items that only the upstream has.
 */
export function repairItems(
  items: readonly JsonObject[],
  report: LossReport,
  reachesFar: boolean,
): readonly JsonObject[] {
  const followed = items.filter((item, index) => {
    if (item["type"] !== "reasoning" || isOfModel(items[index + 1])) return true;
    report.lose("reasoning");
    return false;
  });
  const answered = new Set(followed.filter(isResult).map(callIdOf));
  const calls = new Map<Json | undefined, string>();
  return followed.flatMap((item) => {
    const id = callIdOf(item);
    const result = RESULT_OF.get(item["type"]);
    if (result !== undefined) {
      calls.set(id, result);
      if (reachesFar || answered.has(id)) return [item];
      return [item, { type: result, call_id: item["call_id"], output: INTERRUPTED }];
    }
    if (!isResult(item)) return [item];
    const type = calls.get(id);
    if (type !== undefined) return [item["type"] === type ? item : { ...item, type }];
    if (reachesFar) return [item];
    report.lose("messages.tool_call_id");
    return [{ role: "user", content: item["output"] }];
  });
}

function isResult({ type }: JsonObject): boolean {
  return RESULTS.has(type);
}

function callIdOf({ call_id }: JsonObject): Json | undefined {
  return call_id;
}

/** Said or done by the model itself. */
function isOfModel(item: JsonObject | undefined): boolean {
  if (item === undefined || isResult(item)) return false;
  return item["role"] === undefined || item["role"] === "assistant";
}
