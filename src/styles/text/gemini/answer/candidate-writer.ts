import type { ChatEvent, OpenBlock } from "#core/chat.ts";
import { writeSignature, type Signature } from "#core/signature.ts";
import { parseExactJson } from "#lib/exact-number.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, textOf } from "#lib/values.ts";
import { FINISH_WORDS } from "../finish.ts";
import { Grounding } from "./grounding-out.ts";
import { buildLogprobs } from "./logprobs.ts";
import { writeThinkingProof } from "../conversation/lent-proof.ts";
import { argumentsOf } from "../conversation/part-out.ts";
import { GEMINI } from "../raw-fields.ts";

/** What to say now of one candidate. */
export interface Piece {
  readonly parts: readonly JsonObject[];
  readonly logprobsResult?: Json;
}

export type ChoiceEvent = Exclude<ChatEvent, { type: "start" | "usage" }>;

const EMPTY: Piece = { parts: [] };

/**
 * One choice as parts. Text leaves as it comes; a call or a picture is a part
 * of its own and waits until it is whole. Thoughts are for callers who asked
 * to see them.
 */
export class CandidateWriter {
  readonly #showsThoughts: boolean;
  readonly #grounding = new Grounding();
  #block: OpenBlock | undefined;
  /** What a call or a picture holds so far, or what was said in a recording. */
  #held = "";
  #hasText = false;
  /** Of another style's thinking without words: clients read the first part, which must not be empty. */
  #owedProof: Signature | undefined;
  #about: JsonObject | undefined;

  constructor(showsThoughts: boolean) {
    this.#showsThoughts = showsThoughts;
  }

  /** Why it ended, and all that is known of it only then; `undefined` before. */
  get ending(): JsonObject | undefined {
    return this.#about;
  }

  write(event: ChoiceEvent): Piece {
    switch (event.type) {
      case "open":
        return this.#open(event.block);
      case "delta":
        return this.#add(event);
      case "cite":
        this.#grounding.cite(event.citation);
        return EMPTY;
      case "close":
        return { parts: this.#close(event.signature) };
      case "finish": {
        const groundingMetadata = this.#grounding.metadata;
        this.#about = {
          finishReason: FINISH_WORDS[event.reason],
          safetyRatings: [],
          ...defined({ groundingMetadata }),
          ...event.extra?.[GEMINI],
        };
        return { parts: this.#payAlone() };
      }
    }
  }

  #open(block: OpenBlock): Piece {
    this.#block = block;
    this.#held = "";
    this.#hasText = false;
    if (block.type === "reasoning") return { parts: this.#payAlone({ thought: true }) };
    return block.type === "other" && block.style === GEMINI ? { parts: [block.data] } : EMPTY;
  }

  #add(event: Extract<ChatEvent, { type: "delta" }>): Piece {
    const { text } = event;
    const block = this.#block;
    switch (block?.type) {
      case "text":
      case "refusal": {
        this.#grounding.say(text);
        const own = event.extra?.[GEMINI]?.["logprobsResult"];
        const logprobsResult = own ?? buildLogprobs(event.logprobs);
        return { parts: text === "" ? [] : [{ text }], ...defined({ logprobsResult }) };
      }
      case "reasoning":
        if (text === "") return EMPTY;
        this.#hasText = true;
        return this.#showsThoughts ? { parts: [{ text, thought: true }] } : EMPTY;
      case "audio":
        this.#held += event.transcript ?? "";
        return text === "" ? EMPTY : { parts: [inline(block.mediaType ?? "audio/wav", text)] };
      case "tool_call":
      case "image":
        this.#held += text;
        return EMPTY;
      case "other":
      case undefined:
        return EMPTY;
    }
  }

  #close(signature: Signature | undefined): readonly JsonObject[] {
    const block = this.#block;
    this.#block = undefined;
    switch (block?.type) {
      case "tool_call":
        return this.#whole({ functionCall: callOf(block, this.#held) }, signature);
      case "image":
        return this.#whole(inline(block.mediaType ?? "image/png", this.#held), signature);
      case "audio":
        return this.#held === "" ? [] : [{ text: this.#held }];
      case "reasoning":
        return this.#closeThoughts(signature);
      case "text":
      case "refusal":
        this.#grounding.endBlock();
        // Nobody but this vendor proves what was said.
        return signature?.issuer === GEMINI
          ? [{ text: "", ...proof(signature) }]
          : this.#payAlone();
      case "other":
      case undefined:
        return [];
    }
  }

  /** A call's or a picture's own proof stands on its part, and leaves no room for another. */
  #whole(part: JsonObject, signature: Signature | undefined): readonly JsonObject[] {
    if (signature === undefined) return [{ ...part, ...this.#pay() }];
    return [...this.#payAlone({ thought: true }), { ...part, ...proof(signature) }];
  }

  /** Another style's proof is of words, and of no use to a caller who did not get them. */
  #closeThoughts(signature: Signature | undefined): readonly JsonObject[] {
    if (signature === undefined) return [];
    const isShown = this.#hasText && this.#showsThoughts;
    if (isShown) return [{ text: "", thought: true, ...proof(signature) }];
    if (signature.issuer === GEMINI) return [{ text: "", ...proof(signature) }];
    if (!this.#hasText) this.#owedProof = signature;
    return [];
  }

  #pay(): JsonObject {
    const signature = this.#owedProof;
    this.#owedProof = undefined;
    return signature === undefined ? {} : { thoughtSignature: writeThinkingProof(signature) };
  }

  /** At the end of what was said, as this style's vendor does. */
  #payAlone(mark: JsonObject = {}): readonly JsonObject[] {
    const owed = this.#pay();
    return owed["thoughtSignature"] === undefined ? [] : [{ text: "", ...mark, ...owed }];
  }
}

function callOf(block: Extract<OpenBlock, { type: "tool_call" }>, held: string): JsonObject {
  const own = block.extra?.[GEMINI];
  const id = own === undefined ? block.id : textOf(own["id"]);
  // Callers of this style declared functions, whatever their upstream took them for.
  const json = parseExactJson(held);
  const args = isObject(json) ? json : argumentsOf({ kind: block.kind, arguments: held });
  return { ...defined({ id }), name: block.name, args };
}

function inline(mimeType: string, data: string): JsonObject {
  return { inlineData: { mimeType, data } };
}

function proof(signature: Signature | undefined): JsonObject {
  return signature === undefined ? {} : { thoughtSignature: writeSignature(signature, GEMINI) };
}
