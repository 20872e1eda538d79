import type { Json } from "../json.ts";
import type { Media } from "./media.ts";
import type { WebPage } from "./web-search.ts";

/** The conversation so far, in a form of no vendor. */
export type Conversation = readonly Turn[];

export type Turn =
  | { readonly role: "system"; readonly text: string }
  | { readonly role: "user"; readonly text: string; readonly media: readonly Media[] }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly ToolCall[] }
  | { readonly role: "result"; readonly tool: string; readonly text: string };

/** A function takes arguments that fit a schema, a custom tool takes a text. */
export type Tool = FunctionTool | CustomTool;

export interface FunctionTool {
  readonly kind: "function";
  readonly name: string;
  readonly description: string;
  readonly schema: Json;
}

interface CustomTool {
  readonly kind: "custom";
  readonly name: string;
  readonly description: string;
  /** A regular expression the input must match, where the tool gives one. */
  readonly pattern?: string;
}

export interface ToolCall {
  readonly kind: Tool["kind"];
  readonly name: string;
  /** The JSON text of a function's arguments, or the text for a custom tool. */
  readonly input: string;
}

export type ToolChoice =
  | { readonly mode: "none" | "auto" | "required"; readonly only?: readonly string[] }
  | { readonly mode: "named"; readonly name: string };

export type OutputFormat =
  | { readonly kind: "text" }
  | { readonly kind: "json" }
  | { readonly kind: "schema"; readonly schema: Json };

/** Everything that decides an answer; the same question gets the same answer. */
export interface RequestSpec {
  readonly conversation: Conversation;
  readonly tools: readonly Tool[];
  readonly choice: ToolChoice;
  readonly mayCallInParallel: boolean;
  readonly format: OutputFormat;
  readonly reasoning: ReasoningEffort;
  readonly maxTokens?: number;
  /** Whether the limit counts the thoughts, too; it does unless told. */
  readonly limitCovers?: "all" | "answer";
  /** The thoughts are cut there, and the answer follows all the same. */
  readonly maxReasoningTokens?: number;
  /** What was found on the web: an answer in words names it. */
  readonly pages?: readonly WebPage[];
  readonly stop: readonly string[];
  /** Whether an assistant's turn at the end is the beginning of the answer, as some vendors read it. */
  readonly goesOn?: boolean;
  /** Tells the choices of one request apart. */
  readonly variant: number;
}

export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

export interface Answer {
  readonly reasoning: string;
  readonly text: string;
  readonly refusal?: string;
  readonly calls: readonly ToolCall[];
  readonly finish: "stop" | "length" | "calls";
}
