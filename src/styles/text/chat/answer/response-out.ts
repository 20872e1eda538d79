import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { buildCallSignature } from "../conversation/call-signature.ts";
import { FINISH_WORDS } from "../finish.ts";
import { gather, nothingYet, type Gathered, type GatheredCall } from "./gathered.ts";
import { headOfAnswer } from "./head.ts";
import { buildDetail } from "../conversation/reasoning-details.ts";
import { rawFieldsOf } from "../raw-fields.ts";
import { isLegacy } from "../conversation/tool-in.ts";
import { buildUsage } from "../usage.ts";

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

  const wantsFunctionCall = isLegacy(rawFieldsOf(request) ?? {});
  const indexes = [...choices.keys()].sort((a, b) => a - b);
  return {
    ...headOfAnswer(start, request, "chat.completion"),
    choices: indexes.map((index) =>
      buildChoice(index, choices.get(index) ?? nothingYet(), wantsFunctionCall),
    ),
    ...(usage === undefined ? {} : { usage: buildUsage(usage.usage) }),
  };
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
      ...detailsOf(from),
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

/**
 * Proofs of reasoning that nobody can read. One with words would show them, or
 * prove nothing without; and a caller who has one must have all.
 */
function detailsOf({ proofs }: Gathered): JsonObject {
  if (proofs.length === 0 || proofs.some(({ text }) => text !== "")) return {};
  return {
    reasoning_details: proofs.map(({ text, signature, extra }, index) =>
      buildDetail(text, signature, extra, index),
    ),
  };
}

function callsOf({ calls }: Gathered): JsonObject {
  return calls.length === 0 ? {} : { tool_calls: calls.map(buildCall) };
}

function buildCall({ id, kind, name, arguments: args, signature }: GatheredCall): JsonObject {
  const called = kind === "custom" ? { name, input: args } : { name, arguments: args || "{}" };
  const proof = signature === undefined ? {} : buildCallSignature(signature);
  return { id, type: kind, [kind]: called, ...proof };
}

/** There is room for one; the model was told to make no more. */
function functionCallOf({ calls }: Gathered): JsonObject {
  const [call] = calls;
  return call === undefined
    ? {}
    : { function_call: { name: call.name, arguments: call.arguments || "{}" } };
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
