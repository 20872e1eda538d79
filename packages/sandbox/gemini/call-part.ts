import type { Faults } from "../faults/faults.ts";
import type { JsonObject } from "../json.ts";

interface WireCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly id: string | undefined;
  readonly signature: string | undefined;
}

/** A call as the vendor writes it, or with the flaws that others are known for, as far as there is a place for them. */
export function callPart(
  { name, args, id, signature }: WireCall,
  { toolquirks }: Faults,
): JsonObject {
  const style = toolquirks?.style;
  const plain = { name, args, ...(id === undefined ? {} : { id }) };
  const call =
    style === "emptyid"
      ? { ...plain, id: "" }
      : style === "nullid"
        ? { ...plain, id: null }
        : style === "nullarguments"
          ? { ...plain, args: null }
          : plain;
  return {
    functionCall: call,
    ...(signature === undefined ? {} : { thoughtSignature: signature }),
  };
}
