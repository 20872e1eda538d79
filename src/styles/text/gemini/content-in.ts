import type { Block, Message } from "#core/chat.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, listOf, objectOf, pick, restOf } from "#lib/values.ts";
import { CallBook } from "./call-book.ts";
import { parsePart } from "./part-in.ts";
import { GEMINI } from "./spelling.ts";

export function parseMessages(body: JsonObject): readonly Message[] {
  const calls = new CallBook();
  const instruction = objectOf(body["systemInstruction"]);
  const contents = listOf(body["contents"]).filter(isObject);
  return [
    ...(instruction === undefined ? [] : [parseContent(instruction, calls, "system")]),
    ...contents.map((content) => {
      calls.turn();
      return parseContent(content, calls, undefined);
    }),
  ];
}

const MEMBERS: ReadonlySet<string> = new Set(["role", "parts"]);

function parseContent(content: JsonObject, calls: CallBook, role: "system" | undefined): Message {
  const blocks = withForeignProof(partsOf(content["parts"]).map((part) => parsePart(part, calls)));
  const rest = restOf(content, MEMBERS);
  return {
    role: role ?? roleOf(content["role"], blocks),
    blocks,
    ...defined({ extra: rest === undefined ? undefined : { [GEMINI]: rest } }),
    spelling: { [GEMINI]: pick(content, ["role"]) },
  };
}

/** A single part may stand without its list, and a text without its part. */
function partsOf(parts: Json | undefined): readonly JsonObject[] {
  const list = isArray(parts) ? parts : [parts ?? null];
  return list.flatMap((part) =>
    isObject(part) ? [part] : typeof part === "string" ? [{ text: part }] : [],
  );
}

function roleOf(role: Json | undefined, blocks: readonly Block[]): Message["role"] {
  if (role === "model") return "assistant";
  const isResult = blocks.length > 0 && blocks.every((block) => block.type === "tool_result");
  return isResult ? "tool" : "user";
}

/**
 * Another style's proof is for all of the thinking before it, which came in
 * pieces when it was streamed and may have been kept in pieces.
 */
function withForeignProof(blocks: readonly Block[]): readonly Block[] {
  if (!blocks.some(hasForeignProof)) return blocks;
  const out: Block[] = [];
  for (const block of blocks) {
    if (block.type !== "reasoning" || !hasForeignProof(block)) {
      out.push(block);
      continue;
    }
    let { text } = block;
    for (let last = out.at(-1); isUnproven(last); last = out.at(-1)) {
      text = last.text + text;
      out.pop();
    }
    out.push({ type: "reasoning", text, ...defined({ signature: block.signature }) });
  }
  return out;
}

function hasForeignProof(block: Block): boolean {
  return (
    block.type === "reasoning" && block.signature !== undefined && block.signature.issuer !== GEMINI
  );
}

function isUnproven(block: Block | undefined): block is Extract<Block, { type: "reasoning" }> {
  return block?.type === "reasoning" && block.signature === undefined;
}
