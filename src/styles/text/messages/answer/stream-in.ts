import type { ChatEvent } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { StreamDecoder } from "#core/style.ts";
import { JsonTemplate } from "#lib/json-template.ts";
import { parseExactJson } from "#lib/exact-number.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import type { SseEvent } from "#lib/sse.ts";
import { listOf, objectOf } from "#lib/values.ts";
import { AnswerReader } from "./answer-reader.ts";
import { asGatewayError } from "#styles/upstream-error.ts";
import { errorIn } from "../failure.ts";

export function openDecoder(): StreamDecoder {
  return new MessagesDecoder();
}

/** Ends at the end mark, or with a reason for it; an answer that only breaks off is a failure. */
class MessagesDecoder implements StreamDecoder {
  readonly #reader = new AnswerReader();
  readonly #alike = new JsonTemplate("text");
  /** The block of which events hold text that are like the one before. */
  #index: Json | undefined;
  isOver = false;

  read({ event, data }: SseEvent): readonly ChatEvent[] {
    if (this.isOver) return [];
    const words = this.#alike.read(data);
    if (words !== undefined) return this.#reader.delta(this.#index, textDelta(words));
    const json = parseExactJson(data);
    if (isObject(json)) {
      this.#learn(json, data);
      return this.#read(json["type"] ?? event, json);
    }
    // Words beside JSON are a server's chatter; broken JSON is lost content.
    if (!data.trimStart().startsWith("{")) return [];
    throw new GatewayError("upstream_failed", "The upstream sent an invalid event.");
  }

  end(): readonly ChatEvent[] {
    if (this.isOver) return [];
    if (!this.#reader.hasReason) throw brokenOff();
    return this.#finish();
  }

  #learn(body: JsonObject, data: string): void {
    if (body["type"] !== "content_block_delta") return;
    const delta = objectOf(body["delta"]) ?? {};
    const { type, text, ...others } = delta;
    const isPlain = type === "text_delta" && Object.keys(others).length === 0;
    if (!isPlain || typeof text !== "string") return;
    if (this.#alike.learn(data, text)) this.#index = body["index"];
  }

  /** Events of a type that is not known are none of ours, unless they tell of a failure. */
  #read(type: JsonObject[string], body: JsonObject): readonly ChatEvent[] {
    const { index } = body;
    switch (type) {
      case "message_start":
        return this.#start(objectOf(body["message"]) ?? {});
      case "content_block_start":
        return this.#reader.open(index, objectOf(body["content_block"]) ?? {});
      case "content_block_delta":
        return this.#reader.delta(index, objectOf(body["delta"]) ?? {});
      case "content_block_stop":
        return this.#reader.close();
      case "message_delta": {
        // What became of the context stands beside the delta.
        const end = { ...body, ...objectOf(body["delta"]) };
        this.#reader.update(end, body["usage"]);
        return [];
      }
      case "message_stop":
        if (!this.#reader.mayEnd) throw brokenOff();
        return this.#finish();
      default: {
        const error = errorIn(body);
        if (error !== undefined) throw asGatewayError(error);
        return [];
      }
    }
  }

  /** Some servers' first event holds blocks already. */
  #start(message: JsonObject): readonly ChatEvent[] {
    const events = this.#reader.start(message);
    for (const block of listOf(message["content"]).filter(isObject)) {
      events.push(...this.#reader.open(undefined, block), ...this.#reader.close());
    }
    this.#reader.update(message, undefined);
    return events;
  }

  #finish(): readonly ChatEvent[] {
    this.isOver = true;
    return this.#reader.finish();
  }
}

function textDelta(text: string): JsonObject {
  return { type: "text_delta", text };
}

function brokenOff(): GatewayError {
  return new GatewayError(
    "upstream_failed",
    "The upstream's response ended before it was complete.",
  );
}
