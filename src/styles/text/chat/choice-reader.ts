import type { ChatEvent, Citation, FinishReason } from "#core/chat.ts";
import { readSignature } from "#core/signature.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { BlockQueue, type Slot } from "./block-queue.ts";
import { CallReader } from "./call-reader.ts";
import { parseCitation } from "./citation.ts";
import { isReason, parseFinish } from "./finish.ts";
import { thinkingText } from "./part-in.ts";
import { CHAT } from "./spelling.ts";
import { defined, listOf, memberOf, objectOf, textOf } from "#lib/values.ts";

const MAX_CITATIONS = 1_000;

/**
 * One choice of an answer, from its chunks to blocks that do not overlap. An
 * answer in one piece is read as a single chunk. Servers differ in everything
 * here, so nothing is required of a chunk.
 */
export class ChoiceReader {
  readonly #choice: number;
  readonly #queue: BlockQueue;
  readonly #calls: CallReader;
  readonly #cited = new Set<string>();
  #sound: Slot | undefined;
  #reason: FinishReason | undefined;
  #stopSequence: string | undefined;

  constructor(choice: number) {
    this.#choice = choice;
    this.#queue = new BlockQueue(choice);
    this.#calls = new CallReader(choice, this.#queue);
  }

  get isFinished(): boolean {
    return this.#reason !== undefined;
  }

  get hasCitations(): boolean {
    return this.#cited.size > 0;
  }

  /** Some servers' chunks hold a `delta` and the same as a `message`, and so do their whole answers. */
  read(wire: JsonObject, isWholeAnswer: boolean): ChatEvent[] {
    const piece = isWholeAnswer ? undefined : objectOf(wire["delta"]);
    const said = piece ?? objectOf(wire["message"]) ?? { content: wire["text"] };
    const logprobs = wire["logprobs"];
    this.#readReasoning(said, memberOf(logprobs, "reasoning_content"));
    this.#readContent(said["content"], memberOf(logprobs, "content"));
    this.#write("refusal", textOf(said["refusal"]) ?? "", memberOf(logprobs, "refusal"));
    this.#calls.read(said, piece === undefined);
    this.#readSound(objectOf(said["audio"]));
    for (const image of listOf(said["images"])) this.#readImage(image);
    for (const one of listOf(said["annotations"])) this.cite(parseCitation(one));
    this.#readFinish(wire);
    return this.#queue.take();
  }

  cite(citation: Citation | undefined): void {
    if (citation === undefined) return;
    const key = `${citation.start ?? ""} ${citation.end ?? ""} ${citation.url}`;
    if (this.#cited.has(key) || this.#cited.size >= MAX_CITATIONS) return;
    this.#cited.add(key);
    this.#queue.send(this.#unclosed("text"), { type: "cite", choice: this.#choice, citation });
  }

  /** What was still waiting, and the end. */
  end(): ChatEvent[] {
    this.#queue.closeAll();
    const reason = this.#reason ?? "other";
    const isCall = this.#calls.hasCalls && (reason === "stop" || reason === "other");
    const finish: ChatEvent = {
      type: "finish",
      choice: this.#choice,
      reason: isCall ? "tool_calls" : reason,
      ...defined({ stopSequence: this.#stopSequence }),
    };
    return [...this.#queue.take(), finish];
  }

  #readReasoning(said: JsonObject, logprobs: Json | undefined): void {
    const details = listOf(said["reasoning_details"]).filter(isObject);
    const plain = textOf(said["reasoning_content"]) || textOf(said["reasoning"]);
    const detailed = details.map((one) => textOf(one["text"]) ?? textOf(one["summary"]) ?? "");
    this.#write("reasoning", plain || detailed.join(""), logprobs);

    const proofs = details.map((one) => textOf(one["signature"]) || textOf(one["data"]));
    const proof = proofs.findLast((one) => one !== undefined && one !== "");
    if (proof === undefined) return;
    this.#unclosed("reasoning").signature = readSignature(proof, CHAT);
    this.#queue.advance();
  }

  #readContent(content: Json | undefined, logprobs: Json | undefined): void {
    if (isArray(content)) {
      for (const part of content) this.#readPart(part);
      this.#write("text", "", logprobs);
    } else if (isObject(content)) {
      // One server parses the JSON it was asked for before it answers.
      this.#write("text", JSON.stringify(content), logprobs);
    } else {
      this.#write("text", textOf(content) ?? "", logprobs);
    }
  }

  #readPart(part: Json): void {
    if (!isObject(part)) return;
    if (part["type"] === "thinking") this.#write("reasoning", thinkingText(part), undefined);
    else if (part["type"] === "image_url") this.#readImage(part);
    else this.#write("text", textOf(part["text"]) ?? "", undefined);
  }

  #readSound(audio: JsonObject | undefined): void {
    const id = textOf(audio?.["id"]) || undefined;
    const text = textOf(audio?.["data"]) ?? "";
    const transcript = textOf(audio?.["transcript"]) || undefined;
    const expires = audio?.["expires_at"];
    const isEmpty = id === undefined && text === "" && transcript === undefined;
    // Some answers hold every member there is, empty where it says nothing.
    if (isEmpty && this.#sound === undefined) return;
    const extra = id === undefined ? {} : { extra: { [CHAT]: { id } } };
    this.#sound ??= this.#queue.add({ kind: "audio", head: () => ({ type: "audio", ...extra }) });
    if (typeof expires === "number") this.#sound.closing = { expires_at: expires };
    if (this.#sound.state === "closed" || (text === "" && transcript === undefined)) return;
    const delta = {
      type: "delta",
      choice: this.#choice,
      text,
      ...defined({ transcript }),
    } as const;
    this.#queue.send(this.#sound, delta);
  }

  #readImage(part: Json): void {
    const url = textOf(memberOf(memberOf(part, "image_url"), "url")) ?? "";
    const comma = url.indexOf(",");
    if (!url.startsWith("data:") || comma < 0) {
      this.#write("text", url === "" ? "" : `![image](${url})`, undefined);
      return;
    }
    const mediaType = url.slice("data:".length, comma).split(";")[0] || undefined;
    const head = { type: "image", ...defined({ mediaType }) } as const;
    const slot = this.#queue.add({ kind: "image", head: () => head });
    this.#queue.send(slot, { type: "delta", choice: this.#choice, text: url.slice(comma + 1) });
  }

  #readFinish(wire: JsonObject): void {
    const reason = textOf(wire["finish_reason"]);
    if (reason === undefined || reason === "") return;
    this.#reason = parseFinish(reason);
    const matched = textOf(wire["stop_reason"]) ?? textOf(wire["matched_stop"]);
    if (this.#reason === "stop" && matched !== undefined && !isReason(matched)) {
      this.#stopSequence = matched;
    }
  }

  /** Probabilities may come with a token that is no text, such as an end mark. */
  #write(kind: "text" | "refusal" | "reasoning", text: string, logprobs: Json | undefined): void {
    const hasLogprobs = isArray(logprobs) && logprobs.length > 0;
    if (text === "" && !hasLogprobs) return;
    const last = this.#queue.last;
    const slot = last?.kind === kind ? last : this.#addWords(kind);
    const delta = { type: "delta", choice: this.#choice, text } as const;
    this.#queue.send(slot, hasLogprobs ? { ...delta, logprobs } : delta);
  }

  #addWords(kind: "text" | "refusal" | "reasoning"): Slot {
    return this.#queue.add({ kind, head: () => ({ type: kind }) });
  }

  #unclosed(kind: "text" | "reasoning"): Slot {
    return this.#queue.unclosed(kind) ?? this.#addWords(kind);
  }
}
