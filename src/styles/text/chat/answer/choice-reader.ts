import type { ChatEvent, Citation, FinishReason } from "#core/chat.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { BlockQueue, type Slot } from "#styles/text/block-queue.ts";
import { CallReader } from "./call-reader.ts";
import { inBlock, parseCitation } from "../conversation/citation.ts";
import { isReason, parseFinish } from "../finish.ts";
import { thinkingText } from "../conversation/part-in.ts";
import { parseDetails, type Detail } from "../conversation/reasoning-details.ts";
import { CHAT } from "../raw-fields.ts";
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
  /** Where each text begins in all that is said, which is what citations count in. */
  readonly #starts = new WeakMap<Slot, number>();
  #textLength = 0;
  /** Reasoning that is not proven yet. */
  #thought = "";
  /** It came without its structure, so there may be several thoughts in it. */
  #isPlain = false;
  #sound: Slot | undefined;
  #reason: FinishReason | undefined;
  #stopSequence: string | undefined;

  constructor(choice: number) {
    this.#choice = choice;
    this.#queue = new BlockQueue(choice, CHAT);
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
    // What they are of may be the text before the calls, which ends with these.
    for (const one of listOf(said["annotations"])) this.cite(parseCitation(one));
    this.#calls.read(said, piece === undefined);
    this.#readSound(objectOf(said["audio"]));
    for (const image of listOf(said["images"])) this.#readImage(image);
    this.#readFinish(wire);
    return this.#queue.take();
  }

  readWords(text: string): ChatEvent[] {
    this.#write("text", text, undefined);
    return this.#queue.take();
  }

  cite(citation: Citation | undefined): void {
    if (citation === undefined) return;
    const key = `${citation.start ?? ""} ${citation.end ?? ""} ${citation.url}`;
    if (this.#cited.has(key) || this.#cited.size >= MAX_CITATIONS) return;
    this.#cited.add(key);
    const slot = this.#unclosed("text");
    const placed = inBlock(citation, this.#starts.get(slot) ?? 0);
    this.#queue.send(slot, { type: "cite", choice: this.#choice, citation: placed });
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
      ...(this.#reason === undefined && { isUnstated: true }),
      ...defined({ stopSequence: this.#stopSequence }),
    };
    return [...this.#queue.take(), finish];
  }

  /** The structured form says where one thought ends and the next begins; the plain one only what is thought. */
  #readReasoning(said: JsonObject, logprobs: Json | undefined): void {
    const details = parseDetails(said["reasoning_details"]);
    const plain = textOf(said["reasoning_content"]) || textOf(said["reasoning"]) || "";
    if (details.length === 0) {
      this.#writePlain(plain, logprobs);
      return;
    }
    const detailed = details.map(({ text }) => text).join("");
    const isStructured = detailed !== "" && (plain === "" || plain === detailed);
    if (!isStructured) this.#writePlain(plain, logprobs);
    for (const detail of details) {
      if (isStructured && !this.#isRepeated(detail)) {
        this.#write("reasoning", detail.text, undefined);
        this.#isPlain = false;
      }
      this.#prove(detail);
    }
  }

  #writePlain(text: string, logprobs: Json | undefined): void {
    this.#write("reasoning", text, logprobs);
    if (text !== "") this.#isPlain = true;
  }

  /** Some say it all again with its proof; of thoughts in the plain form, which run together, the last one. */
  #isRepeated({ signature, text }: Detail): boolean {
    if (signature === undefined) return false;
    return this.#isPlain ? this.#thought.endsWith(text) : this.#thought === text;
  }

  #prove({ isEncrypted, signature, rest }: Detail): void {
    if (signature === undefined) return;
    const slot = isEncrypted ? this.#addWords("reasoning") : this.#unclosed("reasoning");
    slot.signature = signature;
    if (rest !== undefined) slot.closing = { detail: rest };
    this.#thought = "";
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
    // What is proven is finished: more words of the kind are the next thought.
    const continues = last?.kind === kind && last.signature === undefined;
    const slot = continues ? last : this.#addWords(kind);
    if (kind === "reasoning") this.#thought = continues ? this.#thought + text : text;
    if (kind === "text") this.#textLength += text.length;
    const delta = { type: "delta", choice: this.#choice, text } as const;
    this.#queue.send(slot, hasLogprobs ? { ...delta, logprobs } : delta);
  }

  #addWords(kind: "text" | "refusal" | "reasoning"): Slot {
    const slot = this.#queue.add({ kind, head: () => ({ type: kind }) });
    if (kind === "text") this.#starts.set(slot, this.#textLength);
    return slot;
  }

  #unclosed(kind: "text" | "reasoning"): Slot {
    return this.#queue.unclosed(kind) ?? this.#addWords(kind);
  }
}
