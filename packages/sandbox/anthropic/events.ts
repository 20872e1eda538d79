import { hash } from "../engine/random.ts";
import { isJsonObject, jsonText, parseJson, type JsonObject } from "../json.ts";
import type { Frame } from "../wire/frame.ts";
import { draftParts } from "./draft-parts.ts";
import type { Draft } from "./drafts.ts";
import {
  callBlock,
  emptyMessage,
  redactedBlock,
  serverCallBlock,
  serverResultBlock,
} from "./message.ts";
import type { MessageReply } from "./message-reply.ts";
import { isInputWhole, quirkyCall, quirkyIndex } from "./tool-quirks.ts";

/** The end of every complete stream. */
export const MESSAGE_STOP: Frame = {
  kind: "done",
  event: "message_stop",
  data: '{"type":"message_stop"}',
  tokens: 0,
};

const PING: Frame = { kind: "delta", event: "ping", data: '{"type": "ping"}', tokens: 0 };

/** The answer as a stream of events, made as they are taken: one block after the other. */
export function* messageEvents(reply: MessageReply): Generator<Frame> {
  const opening = reply.meter.opening();
  yield frame("delta", {
    type: "message_start",
    message: { ...emptyMessage(reply), ...(opening === undefined ? {} : { usage: opening }) },
  });
  if (reply.drafts.length === 0) yield PING;

  for (const [index, draft] of reply.drafts.entries()) {
    const place = quirkyIndex(index, draft, reply.faults);
    const block = quirkyStart(draft, reply);
    yield withUsage(
      frame("delta", { type: "content_block_start", ...place, content_block: block }),
      reply,
    );
    if (index === 0) yield PING;
    for (const { delta, tokens } of draftParts(draft, reply)) {
      if (draft.kind === "call" && isInputWhole(reply.faults)) continue;
      yield withUsage(
        frame("delta", { type: "content_block_delta", ...place, delta }, tokens),
        reply,
      );
    }
    yield withUsage(frame("delta", { type: "content_block_stop", ...place }), reply);
  }

  if (reply.faults.dupusage) yield messageDelta(reply);
  yield messageDelta(reply);
  yield MESSAGE_STOP;
}

function messageDelta(reply: MessageReply): Frame {
  const { stop, meter, container, applied } = reply;
  const usage = meter.closing();
  return frame("finish", {
    type: "message_delta",
    delta: { ...stop, ...(container === undefined ? {} : { container }) },
    ...(usage === undefined ? {} : { usage }),
    ...(applied === undefined ? {} : { context_management: { applied_edits: applied } }),
  });
}

/** The block as it is before its first step: empty, unless it comes in one step. */
function openingBlock(draft: Draft, reply: MessageReply): JsonObject {
  switch (draft.kind) {
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "redacted_thinking":
      return redactedBlock(draft.text, reply);
    case "text":
      return { ...(draft.citations.length === 0 ? {} : { citations: [] }), type: "text", text: "" };
    case "call":
      return callBlock(draft, {});
    case "server_call":
      return serverCallBlock(draft, {});
    case "server_result":
      return serverResultBlock(draft);
  }
}

function quirkyStart(draft: Draft, reply: MessageReply): JsonObject {
  if (draft.kind !== "call") return openingBlock(draft, reply);
  const whole = isInputWhole(reply.faults) ? parseJson(draft.input) : {};
  return quirkyCall(callBlock(draft, isJsonObject(whole) ? whole : {}), reply.faults);
}

function frame(kind: Frame["kind"], event: JsonObject, tokens = 0): Frame {
  return { kind, event: jsonText(event["type"]), data: padded(event), tokens };
}

/** Hides the length of the text: the vendor puts blanks before the last brace. */
function padded(event: JsonObject): string {
  const json = JSON.stringify(event);
  return `${json.slice(0, -1)}${" ".repeat(hash(json) % 16)}}`;
}

/** No event but the first and the last tells the usage, unless a fault asks for it. */
function withUsage(plain: Frame, { faults, meter }: MessageReply): Frame {
  const usage = faults.dupusage ? meter.closing() : undefined;
  if (usage === undefined) return plain;
  const event = parseJson(plain.data);
  return isJsonObject(event) ? { ...plain, data: padded({ ...event, usage }) } : plain;
}
