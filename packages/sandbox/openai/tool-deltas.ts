import type { Piece } from "../engine/pieces.ts";
import type { Faults } from "../faults/faults.ts";
import { parseJson, type Json, type JsonObject } from "../json.ts";
import type { Choice } from "./chat-reply.ts";

type CallPiece = Extract<Piece, { kind: "call" | "input" }>;
type Style = NonNullable<Faults["toolquirks"]>["style"];

/** A part of a tool call, as the vendor writes it, or as other vendors are known to. */
export function callDelta(
  piece: CallPiece,
  choice: Choice,
  isLegacy: boolean,
  { toolquirks }: Faults,
): JsonObject | undefined {
  const call = choice.answer.calls[piece.index];
  if (call === undefined) return undefined;
  const style = toolquirks?.style;
  const isWhole = style === "whole" || style === "object";
  if (isWhole && piece.kind === "input") return undefined;

  const names =
    call.kind === "function"
      ? ({ body: "function", input: "arguments" } as const)
      : ({ body: "custom", input: "input" } as const);
  const fragment = isWhole ? call.input : piece.kind === "input" ? piece.text : "";
  const written: Json = style === "object" ? (parseJson(call.input) ?? call.input) : fragment;
  const isOpening = piece.kind === "call";
  const body = { ...(isOpening ? { name: call.name } : {}), [names.input]: written };
  if (isLegacy) return { function_call: body };

  const id = choice.callIds[piece.index] ?? "";
  const plain = {
    index: piece.index,
    ...(isOpening ? { id, type: call.kind } : {}),
    [names.body]: body,
  };
  return {
    tool_calls: [
      style === undefined
        ? plain
        : quirky(plain, { style, id, name: call.name, isOpening, body, bodyName: names.body }),
    ],
  };
}

interface QuirkyCall {
  readonly style: Style;
  readonly id: string;
  readonly name: string;
  readonly isOpening: boolean;
  readonly body: JsonObject;
  readonly bodyName: string;
}

function quirky(
  plain: JsonObject,
  { style, id, name, isOpening, body, bodyName }: QuirkyCall,
): JsonObject {
  const { index: _index, ...withoutIndex } = plain;
  const { type: _type, ...withoutType } = plain;
  switch (style) {
    case "repeatid":
      return { ...plain, id };
    case "emptyid":
      return isOpening ? plain : { ...plain, id: "" };
    case "nullid":
      return isOpening ? plain : { ...plain, id: null };
    case "noindex":
      return withoutIndex;
    case "sameindex":
      return { ...plain, index: 0 };
    case "notype":
      return withoutType;
    case "repeatname":
      return { ...plain, [bodyName]: { ...body, name } };
    case "nullarguments":
      return isOpening ? { ...plain, [bodyName]: { name, arguments: null } } : plain;
    case "object":
    case "whole":
    case "stop":
      return plain;
  }
}
