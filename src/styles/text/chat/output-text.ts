import { Buffer } from "node:buffer";
import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { calledIn } from "./call-kind.ts";
import { eachDelta, mentionsText } from "./marks.ts";
import { thinkingText } from "./part-in.ts";
import { argumentsOf, listOf, memberOf, textOf } from "#lib/values.ts";

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
  const called = isObject(call) ? calledIn(call) : undefined;
  const name = textOf(called?.["name"]) ?? "";
  return name + argumentsOf(called?.["arguments"] ?? called?.["input"]);
}

/** Bytes that are kept as they came, before they are worth reading. */
const MAX_HELD_BYTES = 32 * 1_024;
const FIRST_HELD_BYTES = 512;
const MAX_TEXT_LENGTH = 1_024 * 1_024;
/** Never stands in JSON as it is. */
const SEPARATOR = "\u001e";
const SEPARATOR_BYTE = 0x1e;
const NOTHING = Buffer.alloc(0);

/**
 * The text of a stream that nobody may ever ask for: mostly the upstream says
 * what it used. So only the deltas are kept, and not read before they become
 * many: thousands of streams pass at once.
 */
export class OutputText {
  readonly #textOfDelta: (from: string) => string;
  #held = NOTHING;
  #heldBytes = 0;
  #text = "";

  /** What a delta says, of a text that begins behind its name. */
  constructor(readDelta = textOfDelta) {
    this.#textOfDelta = readDelta;
  }

  /** Whole events. */
  add(events: Buffer): void {
    if (this.addDeltas(events)) return;
    if (mentionsText(events)) this.say(textOfEvents(events));
  }

  /** False where there is none in them. */
  addDeltas(events: Buffer): boolean {
    return eachDelta(events, this.#hold);
  }

  /** Behind what was held so far. */
  say(text: string): void {
    this.#read();
    this.#say(text);
  }

  take(): string {
    this.#read();
    const text = this.#text;
    this.#text = "";
    return text;
  }

  readonly #hold = (delta: Buffer): void => {
    const neededBytes = delta.length + 1;
    if (this.#heldBytes + neededBytes > MAX_HELD_BYTES) this.#read();
    if (neededBytes > MAX_HELD_BYTES) {
      this.#say(this.#textOfDelta(delta.toString()));
      return;
    }
    if (this.#heldBytes + neededBytes > this.#held.length) this.#grow(neededBytes);
    this.#held.set(delta, this.#heldBytes);
    this.#heldBytes += neededBytes;
    this.#held[this.#heldBytes - 1] = SEPARATOR_BYTE;
  };

  #grow(neededBytes: number): void {
    let size = Math.max(FIRST_HELD_BYTES, this.#held.length);
    while (size < this.#heldBytes + neededBytes) size *= 2;
    const grown = Buffer.allocUnsafeSlow(size);
    grown.set(this.#held.subarray(0, this.#heldBytes));
    this.#held = grown;
  }

  #read(): void {
    const deltas = this.#held.toString("utf8", 0, this.#heldBytes).split(SEPARATOR);
    this.#heldBytes = 0;
    this.#say(deltas.map(this.#textOfDelta).join(""));
  }

  #say(text: string): void {
    this.#text += text.slice(0, MAX_TEXT_LENGTH - this.#text.length);
  }
}

/** Of a text with the delta in it, behind a colon and before whatever came next. */
function textOfDelta(text: string): string {
  const from = text.indexOf("{");
  const delta = from < 0 ? undefined : parseJson(text.slice(from, endOfObject(text, from)));
  return isObject(delta) ? outputTextIn({ choices: [{ delta }] }) : "";
}

/** One past the brace that closes the object which opens there. */
function endOfObject(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return at + 1;
  }
  return text.length;
}

/** The quote that closes the string which opens there. */
export function endOfString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

function textOfEvents(events: Buffer): string {
  return readEvents(events.toString())
    .map(({ data }) => outputTextIn(parseJson(data)))
    .join("");
}
