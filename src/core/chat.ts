import type { Json, JsonObject } from "#lib/json.ts";
import type { Signature } from "./signature.ts";
import type { Usage } from "./usage.ts";

/**
 * The canonical model: one request type and one event stream between all text
 * styles. It is a superset of them, so a round trip loses no field that both
 * styles have.
 */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly stream: boolean;
  readonly sampling: Sampling;
  readonly maxOutputTokens?: number;
  readonly stop?: readonly string[];
  /** Number of responses; more than one only between styles that support it. */
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
  readonly imageOptions?: ImageOptions;
  readonly webSearch?: WebSearch;
  /** The client's id of its end user, for the vendor's abuse reports. */
  readonly user?: string;
  readonly metadata?: JsonObject;
  /** Fields of the client's style without an equivalent above, keyed by the style's id. */
  readonly extra?: Extra;
  /** The members of the body that were read, as the client wrote them, keyed by style. Dropping them is harmless. */
  readonly rawFields?: Extra;
}

/** Data of one vendor or style for the way back, keyed by style id. */
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
  readonly rawFields?: Extra;
}

/** Every kind of block. Each text style has a row for each kind, see `styles/text/block-table.ts`. */
export interface BlockKinds {
  readonly text: TextBlock;
  readonly refusal: RefusalBlock;
  readonly reasoning: ReasoningBlock;
  readonly tool_call: ToolCallBlock;
  readonly tool_result: ToolResultBlock;
  readonly image: MediaBlock;
  readonly audio: MediaBlock;
  readonly video: MediaBlock;
  readonly file: MediaBlock;
  readonly other: OtherBlock;
}

export type Block = BlockKinds[keyof BlockKinds];

interface BlockBase {
  /** A cache breakpoint follows this block. */
  readonly cache?: "short" | "long";
  readonly extra?: Extra;
}

export interface TextBlock extends BlockBase {
  readonly type: "text";
  readonly text: string;
  readonly citations?: readonly Citation[];
}

/** A model's refusal, which some styles separate from text. */
interface RefusalBlock extends BlockBase {
  readonly type: "refusal";
  readonly text: string;
}

export interface ReasoningBlock extends BlockBase {
  readonly type: "reasoning";
  /** Empty if the vendor hides the text and returns only the signature. */
  readonly text: string;
  readonly signature?: Signature;
}

export interface ToolCallBlock extends BlockBase {
  readonly type: "tool_call";
  readonly id: string;
  readonly name: string;
  /** Verbatim from the model: usually but not always valid JSON; free text for a custom tool. */
  readonly arguments: string;
  readonly kind: "function" | "custom";
  /** Some vendors attach the signature to a tool call instead of reasoning. */
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
  /** `image/png`, or a bare format such as `wav` if the style has no media type. */
  readonly mediaType?: string;
  readonly filename?: string;
  readonly detail?: string;
  /** Transcript of the audio. */
  readonly transcript?: string;
}

/** Content of one style only, such as a server tool call. */
interface OtherBlock extends BlockBase {
  readonly type: "other";
  readonly style: string;
  readonly data: JsonObject;
}

export type MediaSource =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "data"; readonly base64: string }
  /** A file stored at the vendor; other vendors cannot read it. */
  | { readonly kind: "reference"; readonly id: string };

export interface Citation {
  readonly url: string;
  readonly title?: string;
  /** The quoted text of the source. */
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
  /**
   * The client's original declaration, if it is more than a function: in a
   * namespace, or a built-in type with a schema that the style knows.
   */
  readonly rawFields?: Extra;
}

export type ToolChoice =
  | { readonly mode: "auto" | "none" | "required" }
  | { readonly mode: "named"; readonly name: string; readonly kind: "function" | "custom" }
  | {
      readonly mode: "allowed";
      readonly required: boolean;
      readonly tools: readonly AllowedTool[];
      /** Other entries of `allowed_tools` that only the client's style knows, verbatim. */
      readonly extra?: Extra;
    };

/** One of the request's tools that the model may call. */
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
      /** The client gets only this field of the object. */
      readonly only?: string;
    };

export interface Reasoning {
  readonly effort?: string;
  /** Tokens; 0 turns reasoning off, -1 lets the model choose. */
  readonly budgetTokens?: number;
  readonly enabled?: boolean;
  /** The client asks for the reasoning text. */
  readonly visible?: boolean;
}

/** Options of an image in the response. */
export interface ImageOptions {
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
 * A response. Blocks of one choice never overlap. `finish` is the last event of
 * its choice and `usage` the last of all. A failure is thrown.
 */
export type ChatEvent =
  | {
      readonly type: "start";
      readonly id: string;
      readonly model: string;
      /** Unix ms; 0 if unknown. */
      readonly createdAt: number;
      /** Input tokens, if they are known or can be estimated this early. */
      readonly inputTokens?: number;
      /** Request fields that the upstream reports as ignored. */
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
      /** The upstream did not say why the answer ended. */
      readonly isUnstated?: true;
      readonly stopSequence?: string;
      /** Unix ms, if the upstream or the relay reported when the response ended. */
      readonly at?: number;
      readonly extra?: Extra;
    }
  | { readonly type: "usage"; readonly usage: Usage; readonly extra?: Extra };

/** The start of a block: the fields that are known before its content. */
export type OpenBlock =
  | { readonly type: "text" | "refusal" | "reasoning"; readonly extra?: Extra }
  | {
      readonly type: "tool_call";
      readonly id: string;
      readonly name: string;
      readonly kind: "function" | "custom";
      readonly extra?: Extra;
    }
  /** Deltas are base64; `transcript` carries the spoken text. */
  | { readonly type: "audio" | "image"; readonly mediaType?: string; readonly extra?: Extra }
  /**
   * Known to one style only and complete at the start: it has no deltas, and
   * other styles omit it.
   */
  | { readonly type: "other"; readonly style: string; readonly data: JsonObject };

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "other";
