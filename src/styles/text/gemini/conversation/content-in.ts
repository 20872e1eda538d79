import type { Block, Message } from "#core/chat.ts";
import type { BlockPlace, MessagePlace } from "#core/style.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, listOf, objectOf, pick, restOf } from "#lib/values.ts";
import { CallBook } from "./call-book.ts";
import { camelized } from "../request/names.ts";
import { isEmptyText, partLentProof, putBeforeWords } from "./lent-proof.ts";
import { parsePart } from "./part-in.ts";
import { isModelRole } from "./role.ts";
import { GEMINI, GOES_ON } from "../raw-fields.ts";

export function parseMessages(body: JsonObject): readonly Message[] {
  const calls = new CallBook();
  const instruction = objectOf(body["systemInstruction"]);
  const contents = listOf(body["contents"]).filter(isObject);
  return [
    ...(instruction === undefined
      ? []
      : [messageOf(instruction, "system", blocksOf(instruction, calls))]),
    ...contents.flatMap((content) => {
      calls.turn();
      return parseContent(content, calls);
    }),
  ];
}

/** Where each of the request's messages, and of their parts, stands in the body. */
export function placesOf(written: JsonObject): readonly MessagePlace[] {
  const body = camelized(written);
  const calls = new CallBook();
  const instruction = objectOf(body["systemInstruction"]);
  const contents = listOf(body["contents"]).filter(isObject);
  const locationOf = (path: string, blocks: readonly BlockPlace[]): MessagePlace => ({
    path,
    blocks,
  });
  return [
    ...(instruction === undefined
      ? []
      : [locationOf("systemInstruction", blockPlaces(instruction, "systemInstruction", calls))]),
    ...contents.flatMap((content, index) => {
      const path = `contents[${index}]`;
      const blocks = blockPlaces(content, path, calls);
      if (!isModelRole(content["role"])) return [locationOf(path, blocks)];
      const [first = [], ...others] = bySide(blocks);
      return [first, ...others].map((side) => locationOf(path, side));
    }),
  ];
}

function blockPlaces(content: JsonObject, path: string, calls: CallBook): readonly BlockPlace[] {
  return partsOf(content["parts"]).map((part, index) => ({
    type: parsePart(part, calls).type,
    path: `${path}.parts[${index}]`,
  }));
}

const MEMBERS: ReadonlySet<string> = new Set(["role", "parts"]);

/** Some write results among what the model said; elsewhere these are two sides of a conversation. */
function parseContent(content: JsonObject, calls: CallBook): readonly Message[] {
  const blocks = blocksOf(content, calls);
  if (!isModelRole(content["role"])) return [messageOf(content, roleOf(blocks), blocks)];
  const [first = [], ...others] = bySide(blocks);
  return [
    messageOf(content, sideOf(first), first),
    ...others.map((side): Message => ({
      role: sideOf(side),
      blocks: side,
      rawFields: { [GEMINI]: { role: "model", [GOES_ON]: true } },
    })),
  ];
}

function messageOf(content: JsonObject, role: Message["role"], blocks: readonly Block[]): Message {
  const rest = restOf(content, MEMBERS);
  return {
    role,
    blocks,
    ...defined({ extra: rest === undefined ? undefined : { [GEMINI]: rest } }),
    rawFields: { [GEMINI]: pick(content, ["role"]) },
  };
}

function blocksOf(content: JsonObject, calls: CallBook): readonly Block[] {
  const blocks: Block[] = [];
  for (const written of partsOf(content["parts"])) {
    const { part, thinking } = partLentProof(written);
    if (thinking !== undefined) putBeforeWords(blocks, thinking);
    if (thinking === undefined || !isEmptyText(part)) blocks.push(parsePart(part, calls));
  }
  return withForeignProof(blocks);
}

/** Results in a row, and what stands between them. */
function bySide<B extends Pick<Block, "type">>(blocks: readonly B[]): readonly (readonly B[])[] {
  const sides: B[][] = [];
  for (const block of blocks) {
    const last = sides.at(-1);
    if (last?.[0] !== undefined && isResult(last[0]) === isResult(block)) last.push(block);
    else sides.push([block]);
  }
  return sides;
}

function sideOf([first]: readonly Block[]): Message["role"] {
  return first !== undefined && isResult(first) ? "tool" : "assistant";
}

function isResult({ type }: Pick<Block, "type">): boolean {
  return type === "tool_result";
}

/** A single part may stand without its list, and a text without its part. */
function partsOf(parts: Json | undefined): readonly JsonObject[] {
  const list = isArray(parts) ? parts : [parts ?? null];
  return list.flatMap((part) =>
    isObject(part) ? [part] : typeof part === "string" ? [{ text: part }] : [],
  );
}

function roleOf(blocks: readonly Block[]): Message["role"] {
  return blocks.length > 0 && blocks.every(isResult) ? "tool" : "user";
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
