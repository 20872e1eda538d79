import type { ChatEvent, ChatRequest, OpenBlock } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { StreamEncoder } from "#core/style.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { formatSse } from "#lib/sse.ts";
import { defined, listOf, pick } from "#lib/values.ts";
import { buildCitation } from "../conversation/citation.ts";
import { encodeError } from "../error.ts";
import { END_MEMBERS, stopOf } from "../finish.ts";
import { firstUsage, headOfMessage } from "./head.ts";
import { HeldText } from "./held-text.ts";
import { linkTo } from "../conversation/image-link.ts";
import { buildReasoning, isRedacted } from "../conversation/proof.ts";
import { MESSAGES } from "../raw-fields.ts";
import { buildUsage } from "../usage.ts";

/** Events in the exact order that clients of this style put them together by. */
export function openEncoder(request: ChatRequest): StreamEncoder {
  return new MessagesEncoder(request);
}

type Of<T extends ChatEvent["type"]> = Extract<ChatEvent, { type: T }>;

class MessagesEncoder implements StreamEncoder {
  readonly #request: ChatRequest;
  readonly #thinking: "shown" | "proven" | "hidden";
  #block: OpenBlock | undefined;
  /** The block's head is out; one that never says anything never begins. */
  #isBegun = false;
  #index = 0;
  #hasCalls = false;
  #hasHead = false;
  /** A picture goes out whole. */
  #picture = new HeldText();
  #finish: Of<"finish"> | undefined;
  #usage: Of<"usage"> | undefined;
  #out = "";

  constructor(request: ChatRequest) {
    this.#request = request;
    this.#thinking = thinkingFor(request);
  }

  /** There is room for one answer. */
  encode(event: ChatEvent): string {
    if (!("choice" in event) || event.choice === 0) this.#write(event);
    return this.#take();
  }

  /** Without a reason for its end an answer has not ended, whatever its source believes. */
  end(): string {
    const finish = this.#finish;
    if (finish === undefined) {
      throw new GatewayError("upstream_failed", "The response ended before it was complete.");
    }
    this.#writeHead(undefined);
    this.#writeEnd(finish);
    return this.#take();
  }

  fail(error: GatewayError): string {
    return encodeError(error);
  }

  #take(): string {
    const out = this.#out;
    this.#out = "";
    return out;
  }

  #write(event: ChatEvent): void {
    if (event.type !== "start") this.#writeHead(undefined);
    switch (event.type) {
      case "start":
        this.#writeHead(event);
        break;
      case "open":
        this.#writeOpen(event.block);
        break;
      case "delta":
        this.#writeDelta(event);
        break;
      case "cite":
        this.#writePiece({ type: "citations_delta", citation: buildCitation(event.citation) });
        break;
      case "close":
        this.#writeClose(event);
        break;
      case "finish":
        this.#finish = event;
        break;
      case "usage":
        this.#usage = event;
        break;
    }
  }

  #writeHead(start: Of<"start"> | undefined): void {
    if (this.#hasHead) return;
    this.#hasHead = true;
    this.#send("message_start", {
      message: {
        ...headOfMessage(start, this.#request),
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: firstUsage(start),
      },
    });
  }

  #writeOpen(block: OpenBlock): void {
    this.#block = block;
    if (block.type === "tool_call") {
      this.#hasCalls = true;
      this.#begin();
      if (block.kind === "custom") this.#writePiece(inputPiece('{"input":"'));
    } else if (block.type === "other" && block.style === MESSAGES) this.#writeOther(block.data);
  }

  /** What an upstream's own tool was asked goes out as a call's arguments do. */
  #writeOther(data: JsonObject): void {
    const { input } = data;
    this.#beginWith(isObject(input) ? { ...data, input: {} } : data);
    if (isObject(input)) this.#writePiece(inputPiece(JSON.stringify(input)));
  }

  #writeDelta({ text, transcript = "" }: Of<"delta">): void {
    switch (this.#block?.type) {
      case "text":
      case "refusal":
        this.#writeWords("text_delta", "text", text);
        break;
      case "reasoning":
        if (this.#thinking === "shown") this.#writeWords("thinking_delta", "thinking", text);
        break;
      case "tool_call":
        this.#writeWords("input_json_delta", "partial_json", this.#fitted(text));
        break;
      case "audio":
        if (transcript !== "") this.#writePiece({ type: "text_delta", text: transcript });
        break;
      case "image":
        this.#picture.add(text);
        break;
      case "other":
      case undefined:
        break;
    }
  }

  /** Free text stands in an object, here as everywhere in this style. */
  #fitted(text: string): string {
    const isText = this.#block?.type === "tool_call" && this.#block.kind === "custom";
    return isText ? JSON.stringify(text).slice(1, -1) : text;
  }

  #writeClose(event: Of<"close">): void {
    const block = this.#block;
    if (block?.type === "reasoning") this.#writeProof(event);
    else if (block?.type === "image") this.#writePicture(block.mediaType);
    else if (block?.type === "tool_call" && block.kind === "custom")
      this.#writePiece(inputPiece('"}'));
    else if (block?.type === "text") {
      for (const citation of listOf(event.extra?.[MESSAGES]?.["citations"])) {
        this.#writePiece({ type: "citations_delta", citation });
      }
    }
    if (this.#isBegun) this.#send("content_block_stop", { index: this.#index++ });
    this.#isBegun = false;
    this.#block = undefined;
  }

  /** The last thing in its block; or all of it, where the thinking is not shown. */
  #writeProof({ signature }: Of<"close">): void {
    if (signature === undefined) return;
    if (this.#thinking === "hidden" && this.#request.keepsReasoning !== true) return;
    if (!this.#isBegun && isRedacted(signature)) {
      this.#beginWith(buildReasoning("", signature));
      return;
    }
    const { signature: proof } = buildReasoning("", signature);
    if (proof !== undefined) this.#writePiece({ type: "signature_delta", signature: proof });
  }

  #writePicture(mediaType: string | undefined): void {
    const text = linkTo(mediaType, this.#picture.text);
    this.#picture = new HeldText();
    this.#writePiece({ type: "text_delta", text });
  }

  #writeEnd(finish: Of<"finish">): void {
    const own = finish.extra?.[MESSAGES] ?? {};
    const { context_management: context, ...beside } = pick(own, END_MEMBERS);
    const usage = this.#usage;
    this.#send("message_delta", {
      delta: { ...stopOf(finish, this.#hasCalls), ...beside },
      usage: {
        ...(usage === undefined ? { output_tokens: 0 } : buildUsage(usage.usage)),
        ...usage?.extra?.[MESSAGES],
      },
      ...defined({ context_management: context }),
    });
    this.#send("message_stop", {});
  }

  #begin(): void {
    const block = this.#block;
    if (this.#isBegun || block === undefined) return;
    switch (block.type) {
      case "reasoning":
        this.#beginWith(buildReasoning("", undefined));
        break;
      case "tool_call": {
        const { id, name, extra } = block;
        this.#beginWith({ type: "tool_use", id, name, input: {}, ...extra?.[MESSAGES] });
        break;
      }
      case "other":
        break;
      case "text":
      case "refusal":
      case "audio":
      case "image":
        this.#beginWith({ type: "text", text: "" });
        break;
    }
  }

  #beginWith(head: JsonObject): void {
    this.#isBegun = true;
    this.#send("content_block_start", { index: this.#index, content_block: head });
  }

  /** Nearly all of a stream is this, so it is put together by hand. */
  #writeWords(type: string, member: string, text: string): void {
    if (text === "") return;
    this.#begin();
    if (!this.#isBegun) return;
    this.#out +=
      `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.#index},` +
      `"delta":{"type":"${type}","${member}":${JSON.stringify(text)}}}\n\n`;
  }

  #writePiece(delta: JsonObject): void {
    this.#begin();
    if (this.#isBegun) this.#send("content_block_delta", { index: this.#index, delta });
  }

  #send(type: string, members: JsonObject): void {
    this.#out += formatSse(JSON.stringify({ type, ...members }), type);
  }
}

/** Many clients read the first block as the answer: one that nobody asked for must not come before it. */
function thinkingFor({ reasoning }: ChatRequest): "shown" | "proven" | "hidden" {
  if (reasoning?.visible === true) return "shown";
  return reasoning?.enabled === true ? "proven" : "hidden";
}

function inputPiece(json: string): JsonObject {
  return { type: "input_json_delta", partial_json: json };
}
