import type { Json, JsonObject } from "#lib/json.ts";
import type { Signature } from "./signature.ts";
import type { Usage } from "./usage.ts";

/**
 * The hub: one request and one stream of events that every text style can be
 * read into and written from. It is a superset of them, so a round trip
 * through it loses nothing that both ends know.
 */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly stream: boolean;
  readonly sampling: Sampling;
  readonly maxOutputTokens?: number;
  readonly stop?: readonly string[];
  /** How many answers; more than one only between styles that have them. */
  readonly choices?: number;
  readonly tools?: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly format?: OutputFormat;
  readonly reasoning?: Reasoning;
  readonly logprobs?: { readonly top?: number };
  /** A vendor of the caller's own style answers: reasoning that it signed is the caller's to send back. */
  readonly keepsReasoning?: true;
  readonly modalities?: readonly ("text" | "audio" | "image")[];
  readonly picture?: PictureWish;
  readonly webSearch?: WebSearch;
  /** The caller's own id for their user, for the vendor's abuse reports. */
  readonly user?: string;
  readonly metadata?: JsonObject;
  /** Fields of the caller's style that have no place above, under that style's id. */
  readonly extra?: Extra;
  /** How the caller wrote what stands above, where a style has several ways; lost without harm. */
  readonly spelling?: Extra;
}

/** A vendor's or style's own data, kept for the way back; keyed by style id. */
export type Extra = Readonly<Record<string, JsonObject>>;

export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
}

export interface Message {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly blocks: readonly Block[];
  readonly name?: string;
  readonly extra?: Extra;
  readonly spelling?: Extra;
}

export type Block =
  | TextBlock
  | RefusalBlock
  | ReasoningBlock
  | ToolCallBlock
  | ToolResultBlock
  | MediaBlock
  | OtherBlock;

interface BlockBase {
  /** A caching mark ends here. */
  readonly cache?: "short" | "long";
  readonly extra?: Extra;
}

export interface TextBlock extends BlockBase {
  readonly type: "text";
  readonly text: string;
  readonly citations?: readonly Citation[];
}

/** A model's refusal, which some styles keep apart from its text. */
interface RefusalBlock extends BlockBase {
  readonly type: "refusal";
  readonly text: string;
}

export interface ReasoningBlock extends BlockBase {
  readonly type: "reasoning";
  /** Empty where the vendor shows none of it, and the signature is all there is. */
  readonly text: string;
  readonly signature?: Signature;
}

export interface ToolCallBlock extends BlockBase {
  readonly type: "tool_call";
  readonly id: string;
  readonly name: string;
  /** As the model wrote it: JSON by intent, not by guarantee; free text for a custom tool. */
  readonly arguments: string;
  readonly kind: "function" | "custom";
  /** Some vendors tie their proof to a call rather than to reasoning. */
  readonly signature?: Signature;
}

export interface ToolResultBlock extends BlockBase {
  readonly type: "tool_result";
  readonly callId: string;
  readonly name?: string;
  readonly blocks: readonly Block[];
  readonly isError?: boolean;
}

export interface MediaBlock extends BlockBase {
  readonly type: "image" | "audio" | "video" | "file";
  readonly source: MediaSource;
  /** `image/png`, or a bare format such as `wav` where the style says no more. */
  readonly mediaType?: string;
  readonly filename?: string;
  readonly detail?: string;
  /** What was said, for audio. */
  readonly transcript?: string;
}

/** Content that only one style knows: a server's own tool at work, for example. */
interface OtherBlock extends BlockBase {
  readonly type: "other";
  readonly style: string;
  readonly data: JsonObject;
}

export type MediaSource =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "data"; readonly base64: string }
  /** A file the vendor keeps: no other vendor can reach it. */
  | { readonly kind: "reference"; readonly id: string };

export interface Citation {
  readonly url: string;
  readonly title?: string;
  /** The words of the source. */
  readonly quote?: string;
  /** UTF-16 offsets in the block's text. */
  readonly start?: number;
  readonly end?: number;
  readonly extra?: Extra;
}

export interface Tool {
  readonly kind: "function" | "custom";
  readonly name: string;
  readonly description?: string;
  /** JSON schema of the arguments. */
  readonly parameters?: JsonObject;
  readonly strict?: boolean;
  /** Grammar of a custom tool's input. */
  readonly format?: JsonObject;
  readonly extra?: Extra;
  /** How the caller declared it, if that is more than a function: in a namespace, or by a type whose schema the style knows. */
  readonly spelling?: Extra;
}

export type ToolChoice =
  | { readonly mode: "auto" | "none" | "required" }
  | { readonly mode: "named"; readonly name: string; readonly kind: "function" | "custom" }
  | {
      readonly mode: "allowed";
      readonly required: boolean;
      readonly tools: readonly AllowedTool[];
      /** What else is allowed, which only the caller's style knows: its `allowed_tools`, as they were written. */
      readonly extra?: Extra;
    };

/** One of the request's tools that may be called. */
export type AllowedTool = Pick<Tool, "kind" | "name">;

export type OutputFormat =
  | { readonly type: "text" }
  | { readonly type: "json" }
  | {
      readonly type: "json_schema";
      readonly name: string;
      readonly description?: string;
      readonly schema?: JsonObject;
      readonly strict?: boolean;
      /** The caller is answered with this member of the object alone. */
      readonly only?: string;
    };

export interface Reasoning {
  readonly effort?: string;
  /** Tokens; 0 is off, -1 is the model's own choice. */
  readonly budgetTokens?: number;
  readonly enabled?: boolean;
  /** The caller asks to see the reasoning text. */
  readonly visible?: boolean;
}

/** How a picture in the answer is to be. */
export interface PictureWish {
  /** `16:9`. */
  readonly aspectRatio?: string;
  /** `2K`. */
  readonly size?: string;
}

export interface WebSearch {
  readonly contextSize?: "low" | "medium" | "high";
  readonly maxUses?: number;
  readonly allowedDomains?: readonly string[];
  readonly blockedDomains?: readonly string[];
  readonly location?: {
    readonly country?: string;
    readonly region?: string;
    readonly city?: string;
    readonly timezone?: string;
  };
}

/**
 * An answer. Blocks of one choice never overlap, `finish` is the last event
 * of its choice and `usage` the last of all; a failure is thrown.
 */
export type ChatEvent =
  | {
      readonly type: "start";
      readonly id: string;
      readonly model: string;
      /** Unix ms; 0 where nobody said. */
      readonly createdAt: number;
      /** Size of the question, where it is known or can be guessed this early. */
      readonly inputTokens?: number;
      /** What the upstream says that it left out of the question. */
      readonly lost?: readonly string[];
      readonly extra?: Extra;
    }
  | { readonly type: "open"; readonly choice: number; readonly block: OpenBlock }
  | {
      readonly type: "delta";
      readonly choice: number;
      readonly text: string;
      readonly transcript?: string;
      readonly logprobs?: Json;
      readonly extra?: Extra;
    }
  | { readonly type: "cite"; readonly choice: number; readonly citation: Citation }
  | {
      readonly type: "close";
      readonly choice: number;
      readonly signature?: Signature;
      readonly extra?: Extra;
    }
  | {
      readonly type: "finish";
      readonly choice: number;
      readonly reason: FinishReason;
      readonly stopSequence?: string;
      /** Unix ms, if the upstream or the relay told when the answer ended. */
      readonly at?: number;
      readonly extra?: Extra;
    }
  | { readonly type: "usage"; readonly usage: Usage; readonly extra?: Extra };

/** A block's head: what is known before its content. */
export type OpenBlock =
  | { readonly type: "text" | "refusal" | "reasoning"; readonly extra?: Extra }
  | {
      readonly type: "tool_call";
      readonly id: string;
      readonly name: string;
      readonly kind: "function" | "custom";
      readonly extra?: Extra;
    }
  /** Deltas are base64; what was said travels as `transcript` beside them. */
  | { readonly type: "audio" | "image"; readonly mediaType?: string; readonly extra?: Extra }
  /** Known to one style only, and whole in its head: no delta follows, and other styles leave it out. */
  | { readonly type: "other"; readonly style: string; readonly data: JsonObject };

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "other";
