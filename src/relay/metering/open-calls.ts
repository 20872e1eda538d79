import type { GatewayError } from "#core/error.ts";
import type { Served } from "../call.ts";
import type { BudgetWatch } from "./budget-watch.ts";

/** A call that the gateway can end, as its client can. */
export type Endable<C extends Served = Served> = C & {
  /** The client's own signal; `signal` is aborted with it, and when the gateway ends the call. */
  readonly callerSignal: AbortSignal;
  end(reason: GatewayError): void;
};

/** A call of which its maker made sure already that the gateway can end it. */
export function isEndable<C extends Served>(call: C | Endable<C>): call is Endable<C> {
  return "end" in call;
}

export function endable<C extends Served>(call: C): Endable<C> {
  const { signal: callerSignal } = call;
  const ending = new AbortController();
  if (callerSignal.aborted) ending.abort(callerSignal.reason);
  else {
    const forward = (): void => ending.abort(callerSignal.reason);
    callerSignal.addEventListener("abort", forward, { once: true });
  }
  return {
    ...call,
    callerSignal,
    signal: ending.signal,
    end: (reason) => ending.abort(reason),
  };
}

/** The calls between hold and settlement. */
export class OpenCalls {
  /** Follows the accounts of these calls. */
  readonly budgets: Pick<BudgetWatch, "note" | "warningsOf"> | undefined;
  #count = 0;
  readonly #byKey = new Map<number, Set<Endable>>();
  #none: PromiseWithResolvers<void> | undefined;

  constructor(budgets?: OpenCalls["budgets"]) {
    this.budgets = budgets;
  }

  get count(): number {
    return this.#count;
  }

  /** The ids of the keys with open calls, each once. */
  get keyIds(): readonly number[] {
    return [...this.#byKey.keys()];
  }

  enter(call: Endable): void {
    this.#count++;
    const calls = this.#byKey.get(call.key.id);
    if (calls === undefined) this.#byKey.set(call.key.id, new Set([call]));
    else calls.add(call);
  }

  leave(call: Endable): void {
    this.#count--;
    const calls = this.#byKey.get(call.key.id);
    calls?.delete(call);
    if (calls?.size === 0) this.#byKey.delete(call.key.id);
    if (this.#count > 0) return;
    this.#none?.resolve();
    this.#none = undefined;
  }

  /** Each client gets the reason in its own style, and is charged for the delivered part. */
  endAllOf(keyId: number, reason: GatewayError): void {
    for (const call of this.#byKey.get(keyId) ?? []) call.end(reason);
  }

  /** Resolves when every call is settled: the storage must stay open until then. */
  async whenNone(): Promise<void> {
    if (this.#count === 0) return;
    this.#none ??= Promise.withResolvers();
    await this.#none.promise;
  }
}
