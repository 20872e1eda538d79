import { Buffer } from "node:buffer";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { eventsIn } from "#lib/sse-bytes.ts";
import { formatSse, readEvents } from "#lib/sse.ts";
import { argumentsOf, integerOf, listOf, objectOf, textOf } from "#lib/values.ts";
import { mentionsCall, mentionsOddArguments, mentionsOddCall } from "./byte-scan.ts";
import { newCallId, repairItem } from "./repair-answer.ts";

/**
 * Repairs a stream whose calls break the grammar of its own style. Events are
 * parsed only if a mark in their bytes says that a call lacks its id, or that
 * its arguments are no text; after that, all that hold a call.
 */
export class CallRepair {
  #hasOdd = false;
  /** Ids that were given here, by the place of the call in the answer. */
  readonly #ids = new Map<number, string>();

  push(bytes: Buffer): Buffer {
    if (!this.#needsReading(bytes)) return bytes;
    const events: Buffer[] = [];
    let isChanged = false;
    for (const event of eventsIn(bytes)) {
      const out = this.#needsReading(event) ? this.#repair(event) : event;
      if (out !== event) isChanged = true;
      events.push(out);
    }
    return isChanged ? Buffer.concat(events) : bytes;
  }

  #needsReading(bytes: Buffer): boolean {
    if (mentionsOddArguments(bytes)) return true;
    return mentionsCall(bytes) && (this.#hasOdd || mentionsOddCall(bytes));
  }

  #repair(event: Buffer): Buffer {
    const [read] = readEvents(event.toString());
    const json = parseJson(read?.data ?? "");
    if (!isObject(json)) return event;
    const type = textOf(json["type"]) ?? read?.event;
    const repairs = this.#repairsOf(json, type);
    if (repairs === undefined) return event;
    this.#hasOdd = true;
    return Buffer.from(formatSse(JSON.stringify({ ...json, ...repairs }), type));
  }

  #repairsOf(json: JsonObject, type: string | undefined): JsonObject | undefined {
    if (type === "response.function_call_arguments.done") {
      const { arguments: args = null } = json;
      return typeof args === "string" ? undefined : { arguments: argumentsOf(args) || "{}" };
    }
    const { item = null } = json;
    if (isObject(item)) {
      const isBeginning = type === "response.output_item.added";
      const at = integerOf(json["output_index"]) ?? 0;
      const repaired = this.#repairItem(item, at, isBeginning ? "" : "{}");
      return repaired === item ? undefined : { item: repaired };
    }
    const response = objectOf(json["response"]);
    const output = listOf(response?.["output"]);
    const repaired = output.map((each, at) => this.#repairItem(each, at, "{}"));
    if (repaired.every((each, at) => each === output[at])) return undefined;
    return { response: { ...response, output: repaired } };
  }

  #repairItem(item: Json, at: number, noArguments: string): Json {
    return repairItem(item, noArguments, () => {
      const id = this.#ids.get(at) ?? newCallId();
      this.#ids.set(at, id);
      return id;
    });
  }
}
