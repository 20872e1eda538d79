import { Buffer } from "node:buffer";
import { isObject, parseJson, type Json } from "#lib/json.ts";
import { listOf, textOf } from "#lib/values.ts";

/** All that a model wrote in an answer, whatever it was for. */
export function outputTextIn(content: Json | undefined): string {
  return listOf(content).map(textOfBlock).join("");
}

/** The caller's tools only: what an upstream's own tool found was not written by the model. */
function textOfBlock(block: Json | undefined): string {
  if (!isObject(block)) return "";
  const { type, input } = block;
  const isCall = type === "tool_use" || type === "server_tool_use" || type === "mcp_tool_use";
  if (isCall) return (textOf(block["name"]) ?? "") + textOfInput(input);
  return (textOf(block["text"]) ?? "") + (textOf(block["thinking"]) ?? "");
}

/** Empty where it comes in pieces. */
function textOfInput(input: Json | undefined): string {
  return isObject(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : "";
}

function textOfDelta(delta: Json | undefined): string {
  if (!isObject(delta)) return "";
  return (
    (textOf(delta["text"]) ?? "") +
    (textOf(delta["thinking"]) ?? "") +
    (textOf(delta["partial_json"]) ?? "")
  );
}

const MAX_HELD_BYTES = 32 * 1_024;
const FIRST_HELD_BYTES = 512;
const MAX_TEXT_LENGTH = 1_024 * 1_024;
const DELTA = Buffer.from('"delta"');
const BLOCK = Buffer.from('"content_block"');
const LF = 0x0a;
const CR = 0x0d;
const NOTHING = Buffer.alloc(0);

/**
 * The text of a stream that nobody may ever ask for: mostly the upstream says
 * what it used. So its pieces are kept as they came, and not read before they
 * become many: thousands of streams pass at once.
 */
export class OutputText {
  #held = NOTHING;
  #heldBytes = 0;
  #text = "";

  /** Whole events. */
  add(events: Buffer): void {
    let delta = events.indexOf(DELTA);
    let block = events.indexOf(BLOCK);
    while (delta >= 0 || block >= 0) {
      const isDelta = block < 0 || (delta >= 0 && delta < block);
      const from = isDelta ? delta : block;
      const end = endOfLine(events, from);
      this.#hold(events.subarray(from, end));
      if (isDelta) delta = events.indexOf(DELTA, end);
      else block = events.indexOf(BLOCK, end);
    }
  }

  take(): string {
    this.#read();
    const text = this.#text;
    this.#text = "";
    return text;
  }

  /** From a member to the end of its line: with a brace before it, an object. */
  #hold(member: Buffer): void {
    const neededBytes = member.length + 1;
    if (this.#heldBytes + neededBytes > MAX_HELD_BYTES) this.#read();
    if (neededBytes > MAX_HELD_BYTES) {
      this.#say(textOfMember(member.toString()));
      return;
    }
    if (this.#heldBytes + neededBytes > this.#held.length) this.#grow(neededBytes);
    this.#held.set(member, this.#heldBytes);
    this.#heldBytes += neededBytes;
    this.#held[this.#heldBytes - 1] = LF;
  }

  #grow(neededBytes: number): void {
    let size = Math.max(FIRST_HELD_BYTES, this.#held.length);
    while (size < this.#heldBytes + neededBytes) size *= 2;
    const grown = Buffer.allocUnsafeSlow(size);
    grown.set(this.#held.subarray(0, this.#heldBytes));
    this.#held = grown;
  }

  #read(): void {
    const members = this.#held.toString("utf8", 0, this.#heldBytes).split("\n");
    this.#heldBytes = 0;
    this.#say(members.map(textOfMember).join(""));
  }

  #say(text: string): void {
    this.#text += text.slice(0, MAX_TEXT_LENGTH - this.#text.length);
  }
}

function textOfMember(member: string): string {
  const object = member === "" ? undefined : parseJson(`{${member}`);
  if (!isObject(object)) return "";
  return textOfDelta(object["delta"]) + textOfBlock(object["content_block"]);
}

function endOfLine(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(LF, from);
  if (end >= 0) return end;
  const other = bytes.indexOf(CR, from);
  return other < 0 ? bytes.length : other;
}
