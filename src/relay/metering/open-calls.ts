import type { GatewayError } from "#core/error.ts";
import type { Served } from "../call.ts";

/** A call that the gateway can end as its caller can. */
export type Endable<C extends Served = Served> = C & {
  /** The caller's own signal; `signal` fires with it, and when the call is ended. */
  readonly callerSignal: AbortSignal;
  end(reason: GatewayError): void;
};

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

/** The calls between their hold and their settlement. */
export class OpenCalls {
  #count = 0;
  readonly #byKey = new Map<number, Set<Endable>>();
  #none: PromiseWithResolvers<void> | undefined;

  get count(): number {
    return this.#count;
  }

  /** Whose calls they are, each key once. */
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

  /** Each is told why in its own style, and pays for what it was given. */
  endAllOf(keyId: number, reason: GatewayError): void {
    for (const call of this.#byKey.get(keyId) ?? []) call.end(reason);
  }

  /** Resolves when every call is settled: nothing of theirs may be closed before. */
  async whenNone(): Promise<void> {
    if (this.#count === 0) return;
    this.#none ??= Promise.withResolvers();
    await this.#none.promise;
  }
}
