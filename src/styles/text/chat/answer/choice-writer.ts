import type { ChatEvent, Citation, OpenBlock } from "#core/chat.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { buildCallSignature } from "../conversation/call-signature.ts";
import { buildCitation } from "../conversation/citation.ts";
import { FINISH_WORDS } from "../finish.ts";
import { buildDetail } from "../conversation/reasoning-details.ts";
import { buildImage, buildLogprobs } from "./response-out.ts";
import { CHAT } from "../raw-fields.ts";

/** What one chunk says of one choice. */
export interface Piece {
  readonly delta: JsonObject;
  readonly logprobs?: Json;
  readonly reason?: string | null;
}

/** How this caller wants to be told. */
export interface Manner {
  readonly inlinesReasoning: boolean;
  readonly wantsFunctionCall: boolean;
  /** A call of a function is one piece. */
  readonly wholeCalls?: boolean;
}

const NO_ARGUMENTS = { function: { arguments: "" } };
/** A proof goes out with its words; one of longer words stays with the gateway. */
const MAX_PROVEN_LENGTH = 4 * 1_024 * 1_024;

/** The events of one choice, as the pieces that clients put together again. */
export class ChoiceWriter {
  readonly #manner: Manner;
  #block: OpenBlock | undefined;
  #calls = 0;
  /** Of all content so far, which is what citations count in. */
  #contentLength = 0;
  /** Of the block that is open: where it begins, its text where that is needed at its end, what it cites. */
  #start = 0;
  #text = "";
  #isEmpty = true;
  #cited: Citation[] = [];
  #proofs = 0;
  #hasBegun = false;
  #out: Piece[] = [];

  constructor(manner: Manner) {
    this.#manner = manner;
  }

  write(event: Exclude<ChatEvent, { type: "start" | "usage" }>): readonly Piece[] {
    switch (event.type) {
      case "open":
        this.#open(event.block);
        break;
      case "delta":
        this.#delta(event);
        break;
      case "cite":
        this.#cited.push(event.citation);
        break;
      case "close":
        this.#close(event);
        break;
      case "finish":
        this.#finish(event);
        break;
    }
    const out = this.#out;
    this.#out = [];
    return out;
  }

  #say(delta: JsonObject, logprobs: Json = null): void {
    this.#out.push({ delta, logprobs });
  }

  #sayContent(content: string, logprobs: Json = null): void {
    this.#contentLength += content.length;
    this.#say({ content }, logprobs);
  }

  /** The first piece names the role, and nothing as its content. */
  #begin(content: "" | null): void {
    if (!this.#hasBegun) this.#say({ role: "assistant", content });
    this.#hasBegun = true;
  }

  #open(block: OpenBlock): void {
    this.#begin(block.type === "tool_call" ? null : "");
    this.#block = block;
    this.#start = this.#contentLength;
    this.#text = "";
    this.#isEmpty = true;
    if (block.type === "tool_call") this.#openCall(block);
    if (block.type !== "audio") return;
    const id = block.extra?.[CHAT]?.["id"];
    if (id !== undefined) this.#say({ audio: { id } });
  }

  #openCall({ id, name, kind }: Extract<OpenBlock, { type: "tool_call" }>): void {
    this.#calls++;
    if (this.#manner.wantsFunctionCall) {
      if (this.#calls === 1) this.#say({ function_call: { name, arguments: "" } });
      return;
    }
    if (this.#isWhole(kind)) return;
    const begun = kind === "custom" ? { name, input: "" } : { name, arguments: "" };
    this.#sayCall({ id, type: kind, [kind]: begun });
  }

  #isWhole(kind: "function" | "custom"): boolean {
    return this.#manner.wholeCalls === true && kind === "function";
  }

  #sayCall(fragment: JsonObject): void {
    this.#say({ tool_calls: [{ index: this.#calls - 1, ...fragment }] });
  }

  #delta(event: Extract<ChatEvent, { type: "delta" }>): void {
    const { text, transcript } = event;
    switch (this.#block?.type) {
      case "text":
        this.#sayContent(text, logprobsOf(event, "content"));
        break;
      case "refusal":
        this.#say({ refusal: text }, logprobsOf(event, "refusal"));
        break;
      case "reasoning":
        this.#sayReasoning(text);
        break;
      case "tool_call":
        this.#sayArguments(text);
        break;
      case "audio": {
        const said = transcript === undefined ? {} : { transcript };
        this.#say({ audio: { ...(text === "" ? {} : { data: text }), ...said } });
        break;
      }
      case "image":
        this.#text += text;
        break;
      case "other":
      case undefined:
        break;
    }
  }

  #sayReasoning(text: string): void {
    if (text === "") return;
    if (this.#text.length <= MAX_PROVEN_LENGTH) this.#text += text;
    if (!this.#manner.inlinesReasoning) this.#say({ reasoning_content: text });
    else this.#sayContent(this.#isEmpty ? `<think>\n${text}` : text);
    this.#isEmpty = false;
  }

  #sayArguments(text: string): void {
    if (this.#block?.type !== "tool_call" || text === "") return;
    this.#isEmpty = false;
    if (this.#manner.wantsFunctionCall) {
      if (this.#calls === 1) this.#say({ function_call: { arguments: text } });
    } else if (this.#isWhole(this.#block.kind)) this.#text += text;
    else if (this.#block.kind === "custom") this.#sayCall({ custom: { input: text } });
    else this.#sayCall({ function: { arguments: text } });
  }

  #close(event: Extract<ChatEvent, { type: "close" }>): void {
    const block = this.#block;
    this.#block = undefined;
    const length = this.#contentLength - this.#start;
    const notes = this.#cited.map((one) => buildCitation(one, this.#start, length));
    this.#cited = [];
    if (notes.length > 0) this.#say({ annotations: notes });
    switch (block?.type) {
      case "reasoning":
        if (this.#manner.inlinesReasoning && !this.#isEmpty) this.#sayContent("\n</think>\n");
        this.#prove(event);
        break;
      case "tool_call":
        this.#block = block;
        // No arguments are an empty object, which is what a client will parse.
        if (this.#isEmpty && block.kind === "function") this.#sayArguments("{}");
        this.#block = undefined;
        if (this.#isWhole(block.kind) && !this.#manner.wantsFunctionCall) {
          const { id, name, kind } = block;
          const proof = event.signature === undefined ? {} : buildCallSignature(event.signature);
          this.#sayCall({ id, type: kind, function: { name, arguments: this.#text }, ...proof });
          break;
        }
        if (event.signature !== undefined && !this.#manner.wantsFunctionCall) {
          // A fragment without the call itself is none to several clients.
          const rest = block.kind === "custom" ? { custom: { input: "" } } : NO_ARGUMENTS;
          this.#sayCall({ ...rest, ...buildCallSignature(event.signature) });
        }
        break;
      case "image": {
        const image = { mediaType: block.mediaType ?? "image/png", base64: this.#text };
        this.#say({ images: [buildImage(image)] });
        break;
      }
      case "audio": {
        const expires = event.extra?.[CHAT]?.["expires_at"];
        if (expires !== undefined) this.#say({ audio: { expires_at: expires } });
        break;
      }
      case "text":
      case "refusal":
      case "other":
      case undefined:
        break;
    }
    this.#text = "";
  }

  #prove({ signature, extra }: Extract<ChatEvent, { type: "close" }>): void {
    if (signature === undefined || this.#text.length > MAX_PROVEN_LENGTH) return;
    this.#say({ reasoning_details: [buildDetail(this.#text, signature, extra, this.#proofs++)] });
  }

  #finish({ reason }: Extract<ChatEvent, { type: "finish" }>): void {
    this.#begin("");
    const isFunctionCall =
      this.#manner.wantsFunctionCall && this.#calls > 0 && reason === "tool_calls";
    this.#out.push({ delta: {}, reason: isFunctionCall ? "function_call" : FINISH_WORDS[reason] });
  }
}

function logprobsOf(
  { logprobs }: Extract<ChatEvent, { type: "delta" }>,
  of: "content" | "refusal",
): Json {
  if (!isArray(logprobs)) return null;
  return of === "content" ? buildLogprobs(logprobs, []) : buildLogprobs([], logprobs);
}
