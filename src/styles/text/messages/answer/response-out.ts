import type { ChatEvent, ChatRequest, OpenBlock } from "#core/chat.ts";
import type { Signature } from "#core/signature.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { listOf, pick } from "#lib/values.ts";
import { inputOf } from "../conversation/call-input.ts";
import { buildCitation } from "../conversation/citation.ts";
import { END_MEMBERS, stopOf } from "../finish.ts";
import { headOfMessage } from "./head.ts";
import { linkTo } from "../conversation/image-link.ts";
import { buildReasoning } from "../conversation/proof.ts";
import { MESSAGES } from "../raw-fields.ts";
import { buildUsage } from "../usage.ts";

/** Thinking is left out: what is translated shows it to those who watch it being written. */
export function buildResponse(events: readonly ChatEvent[], request: ChatRequest): JsonObject {
  const start = events.find((event) => event.type === "start");
  const finish = events.findLast((event) => event.type === "finish" && event.choice === 0);
  const usage = events.findLast((event) => event.type === "usage");
  const content = gather(events, request.keepsReasoning === true);
  const hasCalls = content.some(({ type }) => type === "tool_use");
  const end = finish?.type === "finish" ? finish : NO_REASON;
  return {
    ...headOfMessage(start, request),
    content,
    ...stopOf(end, hasCalls),
    ...pick(end.extra?.[MESSAGES] ?? {}, END_MEMBERS),
    ...(usage === undefined
      ? {}
      : { usage: { ...buildUsage(usage.usage), ...usage.extra?.[MESSAGES] } }),
  };
}

const NO_REASON: Extract<ChatEvent, { type: "finish" }> = {
  type: "finish",
  choice: 0,
  reason: "other",
};

/** A block while it is put together. */
interface Gathered {
  readonly head: OpenBlock;
  readonly texts: string[];
  readonly citations: Json[];
}

function gather(events: readonly ChatEvent[], keepsReasoning: boolean): readonly JsonObject[] {
  const content: JsonObject[] = [];
  let block: Gathered | undefined;
  for (const event of events) {
    if (!("choice" in event) || event.choice !== 0) continue;
    switch (event.type) {
      case "open":
        block = { head: event.block, texts: [], citations: [] };
        break;
      case "delta":
        block?.texts.push(block.head.type === "audio" ? (event.transcript ?? "") : event.text);
        break;
      case "cite":
        block?.citations.push(buildCitation(event.citation));
        break;
      case "close": {
        block?.citations.push(...listOf(event.extra?.[MESSAGES]?.["citations"]));
        const proof = keepsReasoning ? event.signature : undefined;
        const built = block === undefined ? undefined : buildGathered(block, proof);
        if (built !== undefined) content.push(built);
        block = undefined;
        break;
      }
      case "finish":
        break;
    }
  }
  return content;
}

/** `undefined` for what is not shown, and for what says nothing: sent back, it would be refused. */
function buildGathered(
  { head, texts, citations }: Gathered,
  signature: Signature | undefined,
): JsonObject | undefined {
  const text = texts.join("");
  switch (head.type) {
    case "text":
    case "refusal":
    case "audio":
      if (text === "" && citations.length === 0) return undefined;
      return { type: "text", text, ...(citations.length === 0 ? {} : { citations }) };
    case "tool_call": {
      const { id, name, kind, extra } = head;
      return { type: "tool_use", id, name, input: inputOf(text, kind), ...extra?.[MESSAGES] };
    }
    case "image":
      return { type: "text", text: linkTo(head.mediaType, text) };
    case "other":
      return head.style === MESSAGES ? head.data : undefined;
    case "reasoning":
      return signature === undefined ? undefined : buildReasoning(text, signature);
  }
}
