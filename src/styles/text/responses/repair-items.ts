import type { LossReport } from "#core/lossy.ts";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { DistinctIds } from "#styles/text/distinct-ids.ts";
import { fitCallId } from "./call-id.ts";
import { isResult, RESULT_OF } from "./call-kinds.ts";
import { clientCallIn, clientResultIn } from "./client-tools.ts";
import { withoutLooseThoughts } from "./loose-thoughts.ts";

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
  const { calls, results, surplus } = pairsIn(followed);
  return followed.flatMap((item) => {
    const pair = calls.get(item) ?? results.get(item);
    if (pair === undefined) {
      if (!isResult(item) || (reachesFar && !surplus.has(item))) return [item];
      report.lose("messages.tool_call_id");
      const client = clientResultIn(item);
      const content = client === undefined ? item["output"] : client.readResult(item);
      return [{ role: "user", content }];
    }
    const { id, resultType: type } = pair;
    if (isResult(item)) {
      const isFit = item["type"] === type && callIdOf(item) === id;
      return [isFit ? item : { ...item, type, call_id: id }];
    }
    const call = item["call_id"] === id ? item : { ...item, call_id: id };
    if (reachesFar || pair.isAnswered) return [call];
    report.lose("messages.tool_calls");
    const [, client] = clientCallIn(item) ?? [];
    const failure = client?.buildFailure(INTERRUPTED) ?? { output: INTERRUPTED };
    return [call, { type, call_id: id, ...failure }];
  });
}

/** A call, under an id that no other has, and whether a result came after it. */
interface Pair {
  readonly id: string;
  readonly resultType: string;
  isAnswered: boolean;
}

interface Pairs {
  readonly calls: ReadonlyMap<JsonObject, Pair>;
  readonly results: ReadonlyMap<JsonObject, Pair>;
  /** Results of calls that had theirs. */
  readonly surplus: ReadonlySet<JsonObject>;
}

/** Calls with one id are answered in their order, each once. */
function pairsIn(items: readonly JsonObject[]): Pairs {
  const ids = new DistinctIds();
  const calls = new Map<JsonObject, Pair>();
  const results = new Map<JsonObject, Pair>();
  const surplus = new Set<JsonObject>();
  const queues = new Map<string, { readonly pairs: Pair[]; next: number }>();
  for (const item of items) {
    const id = callIdOf(item);
    const queue = queues.get(id);
    const resultType = RESULT_OF.get(item["type"]);
    if (resultType !== undefined) {
      const pair = { id: fitCallId(ids.next(id)), resultType, isAnswered: false };
      calls.set(item, pair);
      if (queue === undefined) queues.set(id, { pairs: [pair], next: 0 });
      else queue.pairs.push(pair);
    } else if (isResult(item) && queue !== undefined) {
      const pair = queue.pairs[queue.next];
      if (pair === undefined) {
        surplus.add(item);
        continue;
      }
      queue.next++;
      pair.isAnswered = true;
      results.set(item, pair);
    }
  }
  return { calls, results, surplus };
}

/** Results of a local shell may name their call in `id`. */
function callIdOf({ call_id, id, type }: JsonObject): string {
  return textOf(call_id) ?? (clientResultIn({ type: type ?? null }) && textOf(id)) ?? "";
}
