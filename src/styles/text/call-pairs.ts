import type { Block } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";

/** A call, under an id that no other call of its conversation has, and the result that answers it. */
interface CallPair<Call, Result> {
  readonly call: Call;
  readonly id: string;
  result?: Result;
}

interface Queue<Call, Result> {
  readonly pairs: CallPair<Call, Result>[];
  /** Of the first pair that has no result yet. */
  next: number;
}

/**
 * Says which result answers which call. Calls that share an id are answered in
 * their order, each by one result that comes after it. Clients may leave calls
 * without a result, send results that no call asked for, and use ids again.
 */
export class CallPairs<Call extends object, Result extends object> {
  readonly #newId: (id: string) => string;
  readonly #report: LossReport;
  readonly #byCall = new Map<Call, CallPair<Call, Result>>();
  readonly #byResult = new Map<Result, CallPair<Call, Result>>();
  readonly #queues = new Map<string, Queue<Call, Result>>();

  /** `newId`: the id that the next call with a client's id is sent under. */
  constructor(newId: (id: string) => string, report: LossReport) {
    this.#newId = newId;
    this.#report = report;
  }

  addCall(id: string, call: Call): void {
    const pair: CallPair<Call, Result> = { call, id: this.#newId(id) };
    this.#byCall.set(call, pair);
    const queue = this.#queues.get(id);
    if (queue === undefined) this.#queues.set(id, { pairs: [pair], next: 0 });
    else queue.pairs.push(pair);
  }

  addResult(callId: string, result: Result): void {
    const queue = this.#queues.get(callId);
    const pair = queue?.pairs[queue.next];
    if (queue === undefined || pair === undefined) return;
    queue.next++;
    pair.result = result;
    this.#byResult.set(result, pair);
  }

  /** `undefined` if it is no call. */
  ofCall(call: Call): Pick<CallPair<Call, Result>, "id"> | undefined {
    return this.#byCall.get(call);
  }

  /** The result that answers a call; that there is none is reported. `part`: the call in the conversation. */
  resultOf(call: Call, part?: Block): Result | undefined {
    const result = this.#byCall.get(call)?.result;
    if (result === undefined) this.#report.lose("messages.tool_calls", part);
    return result;
  }

  /** The call that a result answers; that there is none is reported. `part`: the result in the conversation. */
  ofResult(result: Result, part?: Block): Pick<CallPair<Call, Result>, "call" | "id"> | undefined {
    const pair = this.#byResult.get(result);
    if (pair === undefined) this.#report.lose("messages.tool_call_id", part);
    return pair;
  }

  /** Whether a call had this id, answered or not. */
  hasCall(id: string): boolean {
    return this.#queues.has(id);
  }
}
