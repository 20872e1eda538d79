import { Buffer } from "node:buffer";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { eventsIn } from "#lib/sse-bytes.ts";
import { formatSse, readEvents } from "#lib/sse.ts";
import { integerOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { isCall, repairCall } from "./repair-answer.ts";

const TOOL_USE = Buffer.from('"tool_use"');
const MESSAGE_DELTA = Buffer.from("message_delta");
const MESSAGE_STOP = Buffer.from("message_stop");

/**
 * Repairs a stream whose calls break the grammar of its own style. Only events
 * that begin a call, and the end of an answer that called, are parsed.
 */
export class CallRepair {
  #hasCalls = false;
  #hasReason = false;
  #outputTokens: number | undefined;
  /** The answer was given its reason to end here, and nothing in it counts its output. */
  hasUncountedEnd = false;

  push(bytes: Buffer): Buffer {
    if (!this.#needsReading(bytes)) return bytes;
    let isChanged = false;
    const events: Buffer[] = [];
    for (const event of eventsIn(bytes)) {
      const out = this.#needsReading(event) ? this.#repair(event) : event;
      if (out !== event) isChanged = true;
      events.push(out);
    }
    return isChanged ? Buffer.concat(events) : bytes;
  }

  #needsReading(bytes: Buffer): boolean {
    if (bytes.includes(TOOL_USE)) return true;
    return this.#hasCalls && (bytes.includes(MESSAGE_DELTA) || bytes.includes(MESSAGE_STOP));
  }

  #repair(event: Buffer): Buffer {
    const [read] = readEvents(event.toString());
    const json = parseJson(read?.data ?? "");
    if (!isObject(json)) return event;
    const type = textOf(json["type"]) ?? read?.event;
    if (type === "message_stop") return this.#withReason(event);
    const repairs =
      type === "content_block_start"
        ? this.#repairStart(json)
        : type === "message_delta" && this.#hasCalls
          ? this.#repairEnd(json)
          : undefined;
    return repairs === undefined
      ? event
      : Buffer.from(formatSse(JSON.stringify({ ...json, ...repairs }), type));
  }

  #repairStart({ content_block: block = null }: JsonObject): JsonObject | undefined {
    if (!isCall(block)) return undefined;
    this.#hasCalls = true;
    const repaired = repairCall(block);
    return repaired === block ? undefined : { content_block: repaired };
  }

  #repairEnd({ delta, usage }: JsonObject): JsonObject | undefined {
    const end = objectOf(delta);
    this.#outputTokens = integerOf(memberOf(usage, "output_tokens")) ?? this.#outputTokens;
    if ((textOf(end?.["stop_reason"]) ?? "") !== "") this.#hasReason = true;
    return end?.["stop_reason"] === "end_turn"
      ? { delta: { ...end, stop_reason: "tool_use" } }
      : undefined;
  }

  /** The end of an answer that called: clients run no call of one that ended for no reason. */
  #withReason(stop: Buffer): Buffer {
    if (!this.#hasCalls || this.#hasReason) return stop;
    this.#hasReason = true;
    this.hasUncountedEnd = this.#outputTokens === undefined;
    const type = "message_delta";
    const delta = { stop_reason: "tool_use", stop_sequence: null };
    const usage = { output_tokens: this.#outputTokens ?? 0 };
    return Buffer.concat([
      Buffer.from(formatSse(JSON.stringify({ type, delta, usage }), type)),
      stop,
    ]);
  }
}
