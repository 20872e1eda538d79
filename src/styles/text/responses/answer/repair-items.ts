import type { LossReport } from "#core/lossy.ts";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { CallPairs } from "#styles/text/call-pairs.ts";
import { DistinctIds } from "#styles/text/distinct-ids.ts";
import { fitCallId } from "../conversation/call-id.ts";
import { isResult, RESULT_OF } from "../conversation/call-kinds.ts";
import { clientCallIn, clientResultIn } from "../conversation/client-tools.ts";
import { withoutLooseThoughts } from "../conversation/loose-thoughts.ts";

/** What a call without a result is answered: callers that were interrupted leave such calls behind. */
const INTERRUPTED = "The call was interrupted: there is no result.";

/**
 * Upstreams refuse a call without its result, a result without its call, two
 * calls with one id, and reasoning that nothing follows. `reachesFar`: the
 * conversation may go on from items that only the upstream has.
 */
export function repairItems(
  items: readonly JsonObject[],
  report: LossReport,
  reachesFar: boolean,
): readonly JsonObject[] {
  const followed = withoutLooseThoughts(items);
  if (followed !== items) report.lose("reasoning");
  const pairs = pairsIn(followed, report);
  return followed.flatMap((item) => {
    if (isResult(item)) {
      if (reachesFar && !pairs.hasCall(callIdOf(item))) return [item];
      const pair = pairs.ofResult(item);
      if (pair !== undefined) return [answering(item, pair.call, pair.id)];
      const client = clientResultIn(item);
      const content = client === undefined ? item["output"] : client.readResult(item);
      return [{ role: "user", content }];
    }
    const pair = pairs.ofCall(item);
    if (pair === undefined) return [item];
    const { id } = pair;
    const call = item["call_id"] === id ? item : { ...item, call_id: id };
    if (reachesFar || pairs.resultOf(item) !== undefined) return [call];
    const [, client] = clientCallIn(item) ?? [];
    const failure = client?.buildFailure(INTERRUPTED) ?? { output: INTERRUPTED };
    return [call, { type: RESULT_OF.get(item["type"]), call_id: id, ...failure }];
  });
}

/** A result under the id of its call, and of the type that goes with it. */
function answering(item: JsonObject, call: JsonObject, id: string): JsonObject {
  const type = RESULT_OF.get(call["type"]);
  const isFit = item["type"] === type && callIdOf(item) === id;
  return isFit ? item : { ...item, type, call_id: id };
}

function pairsIn(
  items: readonly JsonObject[],
  report: LossReport,
): CallPairs<JsonObject, JsonObject> {
  const ids = new DistinctIds();
  const pairs = new CallPairs<JsonObject, JsonObject>((id) => fitCallId(ids.next(id)), report);
  for (const item of items) {
    if (RESULT_OF.has(item["type"])) pairs.addCall(callIdOf(item), item);
    else if (isResult(item)) pairs.addResult(callIdOf(item), item);
  }
  return pairs;
}

/** Results of a local shell may name their call in `id`. */
function callIdOf({ call_id, id, type }: JsonObject): string {
  return textOf(call_id) ?? (clientResultIn({ type: type ?? null }) && textOf(id)) ?? "";
}
