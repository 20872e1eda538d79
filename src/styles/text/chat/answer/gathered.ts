import type { ChatEvent, Citation, Extra, FinishReason, OpenBlock } from "#core/chat.ts";
import type { Signature } from "#core/signature.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { integerOf, textOf } from "#lib/values.ts";
import { buildCitation } from "../conversation/citation.ts";
import { CHAT } from "../raw-fields.ts";

/** What the events of one choice add up to. */
export interface Gathered {
  /** Of the block that is open. */
  kind: OpenBlock["type"] | undefined;
  /** Of the text block that is open: where it begins, and what it cites. */
  textStart: number;
  cited: Citation[];
  reasoning: string;
  readonly proofs: { text: string; signature: Signature; extra: Extra | undefined }[];
  text: string | undefined;
  refusal: string | undefined;
  readonly calls: GatheredCall[];
  readonly images: { mediaType: string; base64: string }[];
  audio: { id: string; data: string; transcript: string; expires_at: number } | undefined;
  readonly annotations: JsonObject[];
  readonly textLogprobs: Json[];
  readonly refusalLogprobs: Json[];
  reason: FinishReason;
}

export interface GatheredCall {
  readonly id: string;
  readonly name: string;
  readonly kind: "function" | "custom";
  arguments: string;
  signature?: Signature;
}

export function nothingYet(): Gathered {
  return {
    kind: undefined,
    textStart: 0,
    cited: [],
    reasoning: "",
    proofs: [],
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

export function gather(
  into: Gathered,
  event: Exclude<ChatEvent, { type: "start" | "usage" }>,
): void {
  switch (event.type) {
    case "open":
      into.kind = event.block.type;
      open(into, event.block);
      break;
    case "delta":
      append(into, event);
      break;
    case "cite":
      into.cited.push(event.citation);
      break;
    case "close":
      close(into, event);
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
      into.textStart = into.text.length;
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
      into.reasoning = "";
      break;
    case "other":
      break;
  }
}

function close(into: Gathered, { signature, extra }: Extract<ChatEvent, { type: "close" }>): void {
  const length = (into.text ?? "").length - into.textStart;
  for (const one of into.cited) into.annotations.push(buildCitation(one, into.textStart, length));
  into.cited = [];
  if (into.kind === "audio" && into.audio !== undefined) {
    into.audio.expires_at = integerOf(extra?.[CHAT]?.["expires_at"]) ?? 0;
  }
  if (signature === undefined) return;
  const call = into.calls.at(-1);
  if (into.kind === "tool_call" && call !== undefined) call.signature = signature;
  if (into.kind === "reasoning") into.proofs.push({ text: into.reasoning, signature, extra });
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
      into.reasoning += text;
      break;
    case "other":
    case undefined:
      break;
  }
}
