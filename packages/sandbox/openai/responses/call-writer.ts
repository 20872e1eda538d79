import type { ToolCall } from "@sluice/sandbox/engine/conversation.ts";
import type { Piece } from "@sluice/sandbox/engine/pieces.ts";
import { parseJson, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import { newCallId, newItemId } from "./item-ids.ts";
import { event, type BareEvent, type ItemWriter } from "./item-writer.ts";
import type { Turn } from "./turn.ts";

/** A call of a function with its arguments, or of a custom tool with its text. */
export function callWriter(turn: Turn, index: number, call: ToolCall, at: number): ItemWriter {
  const way = call.kind === "function" ? FUNCTION : CUSTOM;
  const id = newItemId(way.prefix);
  const callId = newCallId();
  const place = { item_id: id, output_index: index };
  const { style } = turn.faults.toolquirks ?? {};
  const isWhole = style === "whole" || style === "object";
  const namespace = turn.request.offer.namespaces.get(call.name);
  let input = "";

  const written = (text: string): Json => (style === "object" ? (parseJson(text) ?? text) : text);

  function take(piece: Piece): readonly BareEvent[] {
    if (piece.kind !== "input" || isWhole) {
      if (piece.kind === "input") input += piece.text;
      return [];
    }
    input += piece.text;
    return [event(`${way.event}.delta`, { ...place, delta: piece.text }, piece.tokens)];
  }

  const item = (status: string, text: Json): JsonObject => ({
    id,
    type: way.type,
    status,
    [way.field]: text,
    call_id: callId,
    name: call.name,
    ...(namespace === undefined ? {} : { namespace }),
  });

  return {
    id,
    takes: (piece) => (piece.kind === "call" || piece.kind === "input") && piece.index === at,
    open: () => [
      event("output_item.added", { item: item("in_progress", ""), output_index: index }),
    ],
    take,
    close(status) {
      const whole = isWhole
        ? [event(`${way.event}.delta`, { ...place, delta: written(input) })]
        : [];
      const name = call.kind === "function" ? { name: call.name } : {};
      const done = event(`${way.event}.done`, { ...place, ...name, [way.field]: written(input) });
      return { events: [...whole, done], item: item(status, written(input)) };
    },
  };
}

const FUNCTION = {
  type: "function_call",
  prefix: "fc",
  event: "function_call_arguments",
  field: "arguments",
} as const;
const CUSTOM = {
  type: "custom_tool_call",
  prefix: "ctc",
  event: "custom_tool_call_input",
  field: "input",
} as const;
