import { Buffer } from "node:buffer";
import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { argumentsIn } from "./partial-args.ts";

/** All that a model wrote in an answer or a chunk, whatever it was for. */
export function outputTextIn(body: Json | undefined): string {
  return listOf(memberOf(body, "candidates"))
    .flatMap((candidate) => listOf(memberOf(memberOf(candidate, "content"), "parts")))
    .map((part) => (isObject(part) ? textIn(part) : ""))
    .join("");
}

function textIn(part: JsonObject): string {
  const text = textOf(part["text"]);
  if (text !== undefined) return text;
  const called = objectOf(part["functionCall"]);
  if (called !== undefined) {
    const name = textOf(called["name"]) ?? "";
    const hasArgs = isObject(called["args"]) || isArray(called["partialArgs"]);
    return name + (hasArgs ? JSON.stringify(argumentsIn(called)) : "");
  }
  return textOf(memberOf(part["executableCode"], "code")) ?? "";
}

/** Bytes that are kept as they came, before they are worth reading. */
const MAX_HELD_BYTES = 32 * 1_024;
const MAX_TEXT_LENGTH = 1_024 * 1_024;

/**
 * The text of a stream that nobody may ever ask for: nearly always the
 * upstream says what it used. So events are kept as they are, and not read
 * before they become many.
 */
export class OutputText {
  #held: Buffer[] = [];
  #heldBytes = 0;
  #text = "";

  /** Whole events. */
  add(events: Buffer): void {
    if (this.#heldBytes + events.length > MAX_HELD_BYTES) this.#read();
    if (events.length > MAX_HELD_BYTES) {
      this.#say(textOfEvents(events));
      return;
    }
    this.#held.push(Buffer.from(events));
    this.#heldBytes += events.length;
  }

  take(): string {
    this.#read();
    const text = this.#text;
    this.#text = "";
    return text;
  }

  #read(): void {
    const events = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    this.#say(textOfEvents(events));
  }

  #say(text: string): void {
    this.#text += text.slice(0, MAX_TEXT_LENGTH - this.#text.length);
  }
}

function textOfEvents(events: Buffer): string {
  return readEvents(events.toString())
    .map(({ data }) => outputTextIn(parseJson(data)))
    .join("");
}
