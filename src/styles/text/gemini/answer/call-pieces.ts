import type { Signature } from "#core/signature.ts";
import type { JsonObject } from "#lib/json.ts";
import { listOf, textOf } from "#lib/values.ts";
import { argumentsIn, PartialArgs } from "./partial-args.ts";
import { signatureIn } from "../conversation/part-in.ts";

export interface WholeCall {
  readonly wire: JsonObject;
  readonly args: JsonObject;
  readonly signature: Signature | undefined;
}

interface PendingCall {
  readonly wire: JsonObject;
  readonly args: PartialArgs;
  signature: Signature | undefined;
}

/**
 * Calls come whole, unless a caller asked to have their arguments streamed:
 * then a call is named first, goes on over several chunks, and ends with one
 * that does not go on, or where the next call begins.
 */
export class CallPieces {
  #pending: PendingCall | undefined;

  /** The calls that are whole with this part. */
  read(part: JsonObject, called: JsonObject): readonly WholeCall[] {
    const goesOn = called["willContinue"] === true;
    const isNamed = (textOf(called["name"]) ?? "") !== "";
    const before = isNamed ? this.end() : [];
    if (this.#pending === undefined) {
      if (!isNamed) return before;
      const signature = signatureIn(part);
      if (!goesOn) return [...before, { wire: called, args: argumentsIn(called), signature }];
      this.#pending = { wire: called, args: new PartialArgs(), signature };
    }
    this.#pending.args.add(listOf(called["partialArgs"]));
    this.#pending.signature ??= signatureIn(part);
    return goesOn ? before : [...before, ...this.end()];
  }

  /** A call that was still going on. */
  end(): readonly WholeCall[] {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending === undefined) return [];
    return [{ wire: pending.wire, args: pending.args.value, signature: pending.signature }];
  }
}
