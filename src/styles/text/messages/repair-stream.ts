import { Buffer } from "node:buffer";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { eventsIn } from "#lib/sse-bytes.ts";
import { formatSse, readEvents } from "#lib/sse.ts";
import { objectOf, textOf } from "#lib/values.ts";
import { isCall, repairCall } from "./repair-answer.ts";

const TOOL_USE = Buffer.from('"tool_use"');
const MESSAGE_DELTA = Buffer.from("message_delta");

/**
 * Repairs a stream whose calls break the grammar of its own style. Only events
 * that begin a call, and the end of an answer that called, are parsed.
 */
export class CallRepair {
  #hasCalls = false;

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
    return bytes.includes(TOOL_USE) || (this.#hasCalls && bytes.includes(MESSAGE_DELTA));
  }

  #repair(event: Buffer): Buffer {
    const [read] = readEvents(event.toString());
    const json = parseJson(read?.data ?? "");
    if (!isObject(json)) return event;
    const type = textOf(json["type"]) ?? read?.event;
    const repairs =
      type === "content_block_start"
        ? this.#repairStart(json)
        : type === "message_delta" && this.#hasCalls
          ? repairEnd(json)
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
}

function repairEnd({ delta }: JsonObject): JsonObject | undefined {
  const end = objectOf(delta);
  return end?.["stop_reason"] === "end_turn"
    ? { delta: { ...end, stop_reason: "tool_use" } }
    : undefined;
}
