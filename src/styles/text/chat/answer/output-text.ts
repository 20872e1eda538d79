import type { Buffer } from "node:buffer";
import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { calledIn } from "../conversation/call-kind.ts";
import { eachDelta, mentionsText } from "./byte-scan.ts";
import { thinkingText } from "../conversation/part-in.ts";
import { HeldText } from "#styles/text/held-text.ts";
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

/** Never stands in JSON as it is. */
const SEPARATOR = "\u001e";

/** See `HeldText`: only the deltas are kept. */
export class OutputText {
  readonly #held: HeldText;

  /** What a delta says, of a text that begins behind its name. */
  constructor(readDelta = textOfDelta) {
    this.#held = new HeldText(SEPARATOR, readDelta);
  }

  /** Whole events. */
  add(events: Buffer): void {
    if (this.addDeltas(events)) return;
    if (mentionsText(events)) this.say(textOfEvents(events));
  }

  /** False where there is none in them. */
  addDeltas(events: Buffer): boolean {
    return eachDelta(events, this.#held.hold);
  }

  /** The inside of a JSON string that is text of the model. */
  addQuoted(events: Buffer, start: number, end: number): void {
    this.#held.holdQuoted(events, start, end);
  }

  /** Behind what was held so far. */
  say(text: string): void {
    this.#held.say(text);
  }

  take(): string {
    return this.#held.take();
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
