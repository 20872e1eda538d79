import type { ChatEvent, ChatRequest, FinishReason, OpenBlock } from "#core/chat.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { buildCitation } from "./citation.ts";
import { FINISH_WORDS } from "./finish.ts";
import { headOfAnswer } from "./head.ts";
import { CHAT, spellingIn } from "./spelling.ts";
import { integerOf, textOf } from "#lib/values.ts";
import { buildUsage } from "./usage.ts";

/** Reasoning is left out: in this style it is for those who watch it being written. */
export function buildResponse(events: readonly ChatEvent[], request: ChatRequest): JsonObject {
  const start = events.find((event) => event.type === "start");
  const usage = events.findLast((event) => event.type === "usage");
  const choices = new Map<number, Gathered>();
  for (const event of events) {
    if (event.type === "start" || event.type === "usage") continue;
    const gathered = choices.get(event.choice) ?? nothingYet();
    choices.set(event.choice, gathered);
    gather(gathered, event);
  }

  const wantsFunctionCall = spellingIn(request)?.["functions"] === true;
  const indexes = [...choices.keys()].sort((a, b) => a - b);
  return {
    ...headOfAnswer(start, request, "chat.completion"),
    choices: indexes.map((index) =>
      buildChoice(index, choices.get(index) ?? nothingYet(), wantsFunctionCall),
    ),
    ...(usage === undefined ? {} : { usage: buildUsage(usage.usage) }),
  };
}

interface Gathered {
  /** Of the block that is open. */
  kind: OpenBlock["type"] | undefined;
  text: string | undefined;
  refusal: string | undefined;
  readonly calls: { id: string; name: string; kind: "function" | "custom"; arguments: string }[];
  readonly images: { mediaType: string; base64: string }[];
  audio: { id: string; data: string; transcript: string; expires_at: number } | undefined;
  readonly annotations: JsonObject[];
  readonly textLogprobs: Json[];
  readonly refusalLogprobs: Json[];
  reason: FinishReason;
}

function nothingYet(): Gathered {
  return {
    kind: undefined,
    text: undefined,
    refusal: undefined,
    calls: [],
    images: [],
    audio: undefined,
    annotations: [],
    textLogprobs: [],
    refusalLogprobs: [],
    reason: "other",
  };
}

function gather(into: Gathered, event: Exclude<ChatEvent, { type: "start" | "usage" }>): void {
  switch (event.type) {
    case "open":
      into.kind = event.block.type;
      open(into, event.block);
      break;
    case "delta":
      append(into, event);
      break;
    case "cite":
      into.annotations.push(buildCitation(event.citation));
      break;
    case "close":
      if (into.audio !== undefined && into.kind === "audio") {
        into.audio.expires_at = integerOf(event.extra?.[CHAT]?.["expires_at"]) ?? 0;
      }
      into.kind = undefined;
      break;
    case "finish":
      into.reason = event.reason;
      break;
  }
}

function open(into: Gathered, block: Extract<ChatEvent, { type: "open" }>["block"]): void {
  switch (block.type) {
    case "text":
      into.text ??= "";
      break;
    case "refusal":
      into.refusal ??= "";
      break;
    case "tool_call":
      into.calls.push({ id: block.id, name: block.name, kind: block.kind, arguments: "" });
      break;
    case "audio":
      into.audio ??= {
        id: textOf(block.extra?.[CHAT]?.["id"]) ?? "",
        data: "",
        transcript: "",
        expires_at: 0,
      };
      break;
    case "image":
      into.images.push({ mediaType: block.mediaType ?? "image/png", base64: "" });
      break;
    case "reasoning":
    case "other":
      break;
  }
}

function append(into: Gathered, event: Extract<ChatEvent, { type: "delta" }>): void {
  const { text } = event;
  const logprobs = isArray(event.logprobs) ? event.logprobs : [];
  switch (into.kind) {
    case "text":
      into.text = (into.text ?? "") + text;
      into.textLogprobs.push(...logprobs);
      break;
    case "refusal":
      into.refusal = (into.refusal ?? "") + text;
      into.refusalLogprobs.push(...logprobs);
      break;
    case "tool_call": {
      const call = into.calls.at(-1);
      if (call !== undefined) call.arguments += text;
      break;
    }
    case "audio":
      if (into.audio === undefined) break;
      into.audio.data += text;
      into.audio.transcript += event.transcript ?? "";
      break;
    case "image": {
      const image = into.images.at(-1);
      if (image !== undefined) image.base64 += text;
      break;
    }
    case "reasoning":
    case "other":
    case undefined:
      break;
  }
}

function buildChoice(index: number, from: Gathered, wantsFunctionCall: boolean): JsonObject {
  const hasMore = from.calls.length > 0 || from.audio !== undefined || from.refusal !== undefined;
  // An empty string beside calls says nothing, and the style says nothing with null.
  const content = from.text === undefined || (from.text === "" && hasMore) ? null : from.text;
  const isFunctionCall = wantsFunctionCall && from.calls.length > 0;
  return {
    index,
    message: {
      role: "assistant",
      content: content ?? (hasMore ? null : ""),
      refusal: from.refusal ?? null,
      ...(from.annotations.length > 0 ? { annotations: from.annotations } : {}),
      ...(isFunctionCall ? functionCallOf(from) : callsOf(from)),
      ...(from.audio === undefined ? {} : { audio: from.audio }),
      ...(from.images.length > 0 ? { images: from.images.map(buildImage) } : {}),
    },
    logprobs: buildLogprobs(from.textLogprobs, from.refusalLogprobs),
    finish_reason:
      isFunctionCall && from.reason === "tool_calls" ? "function_call" : FINISH_WORDS[from.reason],
  };
}

function callsOf({ calls }: Gathered): JsonObject {
  return calls.length === 0 ? {} : { tool_calls: calls.map(buildCall) };
}

function buildCall(call: Gathered["calls"][number]): JsonObject {
  const { id, kind, name } = call;
  const called =
    kind === "custom" ? { name, input: call.arguments } : { name, arguments: call.arguments };
  return { id, type: kind, [kind]: called };
}

/** There is room for one; the model was told to make no more. */
function functionCallOf({ calls }: Gathered): JsonObject {
  const [call] = calls;
  return call === undefined
    ? {}
    : { function_call: { name: call.name, arguments: call.arguments } };
}

export function buildImage(image: { mediaType: string; base64: string }): JsonObject {
  const url = `data:${image.mediaType};base64,${image.base64}`;
  return { type: "image_url", image_url: { url } };
}

export function buildLogprobs(
  content: readonly Json[],
  refusal: readonly Json[],
): JsonObject | null {
  if (content.length === 0 && refusal.length === 0) return null;
  return {
    content: content.length > 0 ? content : null,
    refusal: refusal.length > 0 ? refusal : null,
  };
}
