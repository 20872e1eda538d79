import { isJsonObject, jsonText, parseJson, type JsonObject } from "../json.ts";
import { jsonReply, type Reply } from "../wire/reply.ts";
import { draftParts, signatureOf } from "./draft-parts.ts";
import type { Draft } from "./drafts.ts";
import type { MessageReply } from "./message-reply.ts";
import { seal } from "./seal.ts";
import { quirkyCall } from "./tool-quirks.ts";

/** The answer in one piece. */
export function message(reply: MessageReply, headers: Readonly<Record<string, string>>): Reply {
  const isEndless = reply.faults.endless !== undefined;
  // An answer without an end is given up to its natural one here; the body is what never ends.
  const { endless: _endless, ...faults } = reply.faults;
  const whole = { ...reply, faults };
  let tokens = 0;
  const content = reply.drafts.map((draft) => {
    let text = "";
    for (const part of draftParts(draft, whole)) {
      tokens += part.tokens;
      if (part.delta["type"] === "text_delta") text += jsonText(part.delta["text"]);
    }
    return wholeBlock(draft, text, whole);
  });

  const usage = reply.meter.whole();
  const { container, applied } = reply;
  const body = {
    ...emptyMessage(reply),
    content,
    ...reply.stop,
    ...(usage === undefined ? {} : { usage }),
    ...(container === undefined ? {} : { container }),
    ...(applied === undefined ? {} : { context_management: { applied_edits: applied } }),
  };
  if (!isEndless) return jsonReply(200, body, headers, tokens);
  return {
    status: 200,
    headers: { "content-type": "application/json", ...headers },
    body: { kind: "endless", head: JSON.stringify(body).slice(0, -1) },
  };
}

/** A message before its first content. */
export function emptyMessage({ id, model, transformations }: MessageReply): JsonObject {
  return {
    model,
    id,
    type: "message",
    role: "assistant",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    ...(transformations === undefined ? {} : { input_transformations: transformations }),
  };
}

/** `text` is what the block says with all faults; the rest stands in the draft. */
function wholeBlock(draft: Draft, text: string, reply: MessageReply): JsonObject {
  switch (draft.kind) {
    case "thinking":
      return {
        type: "thinking",
        thinking: reply.areThoughtsShown ? draft.text : "",
        signature: signatureOf(draft.text, reply),
      };
    case "redacted_thinking":
      return redactedBlock(draft.text, reply);
    case "text":
      return {
        ...(draft.citations.length === 0 ? {} : { citations: draft.citations }),
        type: "text",
        text,
      };
    case "call":
      return quirkyCall(callBlock(draft, inputOf(draft.input)), reply.faults);
    case "server_call":
      return serverCallBlock(draft, inputOf(draft.input));
    case "server_result":
      return serverResultBlock(draft);
  }
}

/** A truncated input is not valid JSON; the vendor omits the incomplete part. */
function inputOf(input: string): JsonObject {
  const value = parseJson(input);
  return isJsonObject(value) ? value : {};
}

export function redactedBlock(text: string, { model, binding }: MessageReply): JsonObject {
  const data = seal({
    kind: "redacted_thinking",
    owner: model,
    shown: "",
    hidden: text,
    bound: binding,
  });
  return { type: "redacted_thinking", data };
}

export function callBlock(
  { id, name }: Extract<Draft, { kind: "call" }>,
  input: JsonObject,
): JsonObject {
  return { type: "tool_use", id, name, input, caller: { type: "direct" } };
}

export function serverCallBlock(
  { id, name }: Extract<Draft, { kind: "server_call" }>,
  input: JsonObject,
): JsonObject {
  return { type: "server_tool_use", id, name, input };
}

export function serverResultBlock({
  id,
  run,
}: Extract<Draft, { kind: "server_result" }>): JsonObject {
  return { type: run.resultType, tool_use_id: id, content: run.result };
}
