import type { Json, JsonObject } from "#lib/json.ts";

/** A question in no style's words. */
export interface Ask {
  readonly model: string;
  readonly turns: readonly Turn[];
  readonly stream: boolean;
  readonly tools?: readonly AskedTool[];
  /** JSON schema that the answer must have. */
  readonly schema?: JsonObject;
  readonly thinks?: boolean;
  readonly maxTokens?: number;
}

export type Turn =
  | { readonly role: "user"; readonly text: string; readonly imageBase64?: string }
  /** An answer, exactly as this caller's style gave it. */
  | { readonly role: "assistant"; readonly own: readonly Json[] }
  | { readonly role: "tool"; readonly results: readonly ToolAnswer[] };

export interface AskedTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
}

interface ToolAnswer {
  readonly call: SeenCall;
  readonly text: string;
}

export interface SeenCall {
  readonly id: string;
  readonly name: string;
  readonly args: Json;
}

/** An answer, in no style's words. */
export interface Seen {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly SeenCall[];
  readonly finish: "stop" | "length" | "calls" | "filter" | "none";
  readonly usage: { readonly input: number; readonly output: number } | undefined;
  /** What failed, in the style's own error shape. */
  readonly error: string | undefined;
  /** The answer as the next request repeats it. */
  readonly own: readonly Json[];
  /** What a client of this style would trip over. */
  readonly faults: readonly string[];
}

/**
 * A client of one style, as small as can be and written from the style's
 * documents alone: it shares no code with the gateway.
 */
export interface Caller {
  readonly id: string;
  /** Whether the style shows reasoning in an answer that is not streamed, where the gateway translates. */
  readonly showsReasoningWhole: boolean;
  /** Whether the style has words for the wish to see reasoning, apart from the wish that there be some. */
  readonly asksToSee: boolean;
  request(ask: Ask): { readonly path: string; readonly body: JsonObject };
  readWhole(body: JsonObject): Seen;
  readStream(text: string): Seen;
}

export const EMPTY: Seen = {
  text: "",
  reasoning: "",
  calls: [],
  finish: "none",
  usage: undefined,
  error: undefined,
  own: [],
  faults: [],
};
