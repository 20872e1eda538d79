import { Buffer } from "node:buffer";
import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { thinkingText } from "./part-in.ts";
import { argumentsOf, listOf, memberOf, textOf } from "./values.ts";

/** All that a model wrote in an answer or a chunk, whatever it was for. */
export function outputTextIn(body: Json | undefined): string {
  return listOf(memberOf(body, "choices")).map(textInChoice).join("");
}

function textInChoice(choice: Json): string {
  const said = memberOf(choice, "delta") ?? memberOf(choice, "message");
  if (!isObject(said)) return textOf(memberOf(choice, "text")) ?? "";
  const calls = [...listOf(said["tool_calls"]), { function: said["function_call"] ?? null }];
  return (
    (textOf(said["reasoning_content"]) || textOf(said["reasoning"]) || detailsIn(said)) +
    contentIn(said["content"]) +
    (textOf(said["refusal"]) ?? "") +
    calls.map(callIn).join("") +
    (textOf(memberOf(said["audio"], "transcript")) ?? "")
  );
}

function detailsIn(said: JsonObject): string {
  return listOf(said["reasoning_details"])
    .map((one) => textOf(memberOf(one, "text") ?? memberOf(one, "summary")) ?? "")
    .join("");
}

function contentIn(content: Json | undefined): string {
  if (!isArray(content))
    return isObject(content) ? JSON.stringify(content) : (textOf(content) ?? "");
  return content
    .filter(isObject)
    .map((part) => textOf(part["text"]) ?? thinkingText(part))
    .join("");
}

function callIn(call: Json): string {
  const called = memberOf(call, "function") ?? memberOf(call, "custom");
  const name = textOf(memberOf(called, "name")) ?? "";
  return name + argumentsOf(memberOf(called, "arguments") ?? memberOf(called, "input"));
}

/** Bytes that are kept as they came, before they are worth reading. */
const MAX_HELD_BYTES = 64 * 1_024;
const BLOCK_BYTES = 4 * 1_024;
const MAX_TEXT_LENGTH = 1_024 * 1_024;

/**
 * The text of a stream that nobody may ever ask for: mostly the upstream says
 * what it used. So the bytes are only kept, and read when they become many.
 * They are copied into blocks, since thousands of streams would otherwise hold
 * on to every small piece of memory that the network filled.
 */
export class OutputText {
  #blocks: Uint8Array[] = [];
  #heldBytes = 0;
  #text = "";

  add(events: Uint8Array): void {
    if (this.#heldBytes + events.length > MAX_HELD_BYTES) this.#read();
    for (let from = 0; from < events.length;) {
      const at = this.#heldBytes % BLOCK_BYTES;
      if (at === 0) this.#blocks.push(new Uint8Array(BLOCK_BYTES));
      const piece = events.subarray(from, from + BLOCK_BYTES - at);
      this.#blocks.at(-1)?.set(piece, at);
      this.#heldBytes += piece.length;
      from += piece.length;
    }
  }

  take(): string {
    this.#read();
    const text = this.#text;
    this.#text = "";
    return text;
  }

  #read(): void {
    const held = Buffer.concat(this.#blocks, this.#heldBytes);
    this.#blocks = [];
    this.#heldBytes = 0;
    const room = MAX_TEXT_LENGTH - this.#text.length;
    if (held.length === 0 || room <= 0) return;
    const pieces = readEvents(held.toString()).map(({ data }) => outputTextIn(parseJson(data)));
    this.#text += pieces.join("").slice(0, room);
  }
}
