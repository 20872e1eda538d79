import { Buffer } from "node:buffer";
import { isObject, parseJson, type Json } from "#lib/json.ts";
import { listOf, textOf } from "#lib/values.ts";
import { HeldText } from "#styles/text/held-text.ts";

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

/** Of one piece of a block. */
export function textOfDelta(delta: Json | undefined): string {
  if (!isObject(delta)) return "";
  return (
    (textOf(delta["text"]) ?? "") +
    (textOf(delta["thinking"]) ?? "") +
    (textOf(delta["partial_json"]) ?? "")
  );
}

const DELTA = Buffer.from('"delta"');
const BLOCK = Buffer.from('"content_block"');
const LF = 0x0a;
const CR = 0x0d;

/** See `HeldText`: kept from a member to the end of its line, which is an object with a brace before it. */
export class OutputText {
  readonly #held = new HeldText("\n", textOfMember);

  /** Whole events. */
  add(events: Buffer): void {
    let delta = events.indexOf(DELTA);
    let block = events.indexOf(BLOCK);
    while (delta >= 0 || block >= 0) {
      const isDelta = block < 0 || (delta >= 0 && delta < block);
      const from = isDelta ? delta : block;
      const end = endOfLine(events, from);
      this.#held.hold(events.subarray(from, end));
      if (isDelta) delta = events.indexOf(DELTA, end);
      else block = events.indexOf(BLOCK, end);
    }
  }

  /** The inside of a JSON string that is text of the model. */
  addQuoted(events: Buffer, start: number, end: number): void {
    this.#held.holdQuoted(events, start, end);
  }

  take(): string {
    return this.#held.take();
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
