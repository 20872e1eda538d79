import type { ChatEvent, OpenBlock } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { Signature } from "#core/signature.ts";
import { randomBase62 } from "#lib/ids.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, objectOf, restOf, textOf } from "#lib/values.ts";
import { CallPieces, type WholeCall } from "./call-pieces.ts";
import { parseFinish, reasonIn } from "../finish.ts";
import { parseGrounding } from "./grounding-in.ts";
import { parseLogprobs } from "./logprobs.ts";
import { signatureIn } from "../conversation/part-in.ts";
import { GEMINI } from "../raw-fields.ts";
import { readToolName } from "../conversation/tool-name.ts";

const MAX_CALLS = 1_000;
/** Beyond this much text citations lose their places. */
const MAX_CITED_LENGTH = 4 * 1_024 * 1_024;

interface OpenText {
  readonly kind: "text" | "reasoning" | "audio";
  signature: Signature | undefined;
}

const READ: ReadonlySet<string> = new Set(["content", "index", "logprobsResult"]);

/**
 * One candidate, from its parts to blocks. Chunks hold pieces of text, and
 * everything else whole; what a candidate says about itself may come with any
 * of them, and counts as it was said last.
 */
export class CandidateReader {
  readonly #choice: number;
  #out: ChatEvent[] = [];
  #open: OpenText | undefined;
  readonly #pieces = new CallPieces();
  #calls = 0;
  /** All text but thoughts, which places in it are counted by. */
  #text = "";
  #blockStart = 0;
  #about: JsonObject = {};

  constructor(choice: number) {
    this.#choice = choice;
  }

  get isFinished(): boolean {
    return reasonIn(this.#about["finishReason"]) !== undefined;
  }

  read(candidate: JsonObject): readonly ChatEvent[] {
    this.#about = { ...this.#about, ...restOf(candidate, READ) };
    const { parts } = objectOf(candidate["content"]) ?? {};
    for (const part of isArray(parts) ? parts : [parts ?? null]) {
      if (isObject(part)) this.#readPart(part);
    }
    const logprobs = parseLogprobs(candidate["logprobsResult"]);
    if (logprobs !== undefined) this.#sayLogprobs(logprobs, candidate["logprobsResult"]);
    return this.#take();
  }

  /** Citations refer to all of the text, so they wait for its end. */
  end(): readonly ChatEvent[] {
    for (const call of this.#pieces.end()) this.#sayCall(call);
    const citations = parseGrounding(this.#about["groundingMetadata"], this.#text);
    if (citations.length > 0 && this.#open?.kind !== "text") this.#begin("text");
    for (const { start, end, ...citation } of citations) {
      const isHere = start !== undefined && end !== undefined && start >= this.#blockStart;
      const place = isHere ? { start: start - this.#blockStart, end: end - this.#blockStart } : {};
      this.#send({ type: "cite", choice: this.#choice, citation: { ...citation, ...place } });
    }
    this.#close();
    const word = reasonIn(this.#about["finishReason"]) ?? "";
    this.#send({
      type: "finish",
      choice: this.#choice,
      reason: parseFinish(word, this.#calls > 0),
      extra: { [GEMINI]: { ...this.#about, finishReason: word } },
    });
    return this.#take();
  }

  #readPart(part: JsonObject): void {
    const called = objectOf(part["functionCall"]);
    if (called !== undefined) {
      for (const call of this.#pieces.read(part, called)) this.#sayCall(call);
      return;
    }
    const text = textOf(part["text"]);
    if (text !== undefined) {
      this.#readText(text, part["thought"] === true ? "reasoning" : "text", signatureIn(part));
      return;
    }
    const inline = objectOf(part["inlineData"]);
    const mediaType = textOf(inline?.["mimeType"]) ?? "";
    const data = textOf(inline?.["data"]) ?? "";
    // A picture among the thoughts is not the one that was asked for.
    const isResult = part["thought"] !== true && data !== "";
    if (isResult && mediaType.startsWith("image/"))
      this.#whole({ type: "image", mediaType }, data, signatureIn(part));
    else if (isResult && mediaType.startsWith("audio/")) this.#readSound(mediaType, data);
    else if (Object.keys(part).length > 0)
      this.#whole({ type: "other", style: GEMINI, data: part });
  }

  #readText(text: string, kind: "text" | "reasoning", signature: Signature | undefined): void {
    if (text === "") {
      if (signature !== undefined) this.#prove(signature);
      return;
    }
    if (this.#open?.kind !== kind || this.#open.signature !== undefined) this.#begin(kind);
    if (kind === "text" && this.#text.length < MAX_CITED_LENGTH) this.#text += text;
    this.#send({ type: "delta", choice: this.#choice, text });
    if (this.#open !== undefined) this.#open.signature = signature;
  }

  /** A proof without words is of the text before it, or else of all the thinking. */
  #prove(signature: Signature): void {
    if (this.#open?.kind === "text" && this.#open.signature === undefined) {
      this.#open.signature = signature;
      return;
    }
    this.#begin("reasoning");
    if (this.#open !== undefined) this.#open.signature = signature;
    this.#close();
  }

  #sayLogprobs(logprobs: Json, wire: Json | undefined): void {
    if (this.#open?.kind !== "text") this.#begin("text");
    const extra = { [GEMINI]: { logprobsResult: wire ?? null } };
    this.#send({ type: "delta", choice: this.#choice, text: "", logprobs, extra });
  }

  #sayCall({ wire, args, signature }: WholeCall): void {
    if (++this.#calls > MAX_CALLS) {
      throw new GatewayError(
        "upstream_failed",
        "The upstream's response has too many parallel tool calls.",
      );
    }
    const { name, kind } = readToolName(textOf(wire["name"]) ?? "");
    const id = textOf(wire["id"]) || undefined;
    const input = textOf(args["input"]);
    const block: OpenBlock = {
      type: "tool_call",
      id: id ?? `call_${randomBase62(24)}`,
      name,
      kind,
      // Whether the id is the upstream's: one that it does not know is not told to its callers.
      extra: { [GEMINI]: defined({ id }) },
    };
    const text = kind === "custom" && input !== undefined ? input : JSON.stringify(args);
    this.#whole(block, text, signature);
  }

  /** Sound comes in pieces of one recording. */
  #readSound(mediaType: string, data: string): void {
    if (this.#open?.kind !== "audio") {
      this.#close();
      this.#open = { kind: "audio", signature: undefined };
      this.#send({ type: "open", choice: this.#choice, block: { type: "audio", mediaType } });
    }
    this.#send({ type: "delta", choice: this.#choice, text: data });
  }

  #whole(block: OpenBlock, text?: string, signature?: Signature): void {
    this.#close();
    this.#send({ type: "open", choice: this.#choice, block });
    if (text !== undefined) this.#send({ type: "delta", choice: this.#choice, text });
    this.#send({ type: "close", choice: this.#choice, ...defined({ signature }) });
  }

  #begin(kind: "text" | "reasoning"): void {
    this.#close();
    this.#open = { kind, signature: undefined };
    if (kind === "text") this.#blockStart = this.#text.length;
    this.#send({ type: "open", choice: this.#choice, block: { type: kind } });
  }

  #close(): void {
    if (this.#open === undefined) return;
    const { signature } = this.#open;
    this.#open = undefined;
    this.#send({ type: "close", choice: this.#choice, ...defined({ signature }) });
  }

  #send(event: ChatEvent): void {
    this.#out.push(event);
  }

  #take(): readonly ChatEvent[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }
}
