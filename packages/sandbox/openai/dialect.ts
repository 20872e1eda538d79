import type { ReasoningEffort } from "../engine/conversation.ts";
import type { Piece } from "../engine/pieces.ts";
import type { WebSearch } from "../engine/web-search.ts";
import type { JsonObject } from "../json.ts";
import type { ChatReply, Choice } from "./chat-reply.ts";
import type { PartReader } from "./content-parts.ts";
import type { Message } from "./messages.ts";
import type { Model } from "./models.ts";
import type { ChatRequest } from "./request.ts";
import type { Totals } from "./usage.ts";

/** Differences between the vendors of this protocol. */
export interface ChatDialect {
  readonly request: RequestDialect;
  readonly answer: AnswerDialect;
}

export interface RequestDialect {
  readonly roles: readonly Message["role"][];
  /** Content of a user that the protocol does not know, or that is read in another way. */
  readonly userParts: Readonly<Record<string, PartReader>>;
  findModel(id: string): Model | undefined;
  /** Throws at parameters that are right in themselves, and wrong for this vendor or model. */
  checkSupport(body: JsonObject, model: Model): void;
  /** The request without fields that the vendor ignores, and with its defaults. */
  prepare(body: JsonObject, model: Model): JsonObject;
  readThinking(body: JsonObject, model: Model): Thinking;
  readSearch(body: JsonObject, messages: readonly Message[]): WebSearch | undefined;
  /** Four if absent. */
  readonly maxStops?: number | undefined;
  /** Whether a JSON object may be asked for only by a prompt that says so. */
  readonly needsJsonWord: boolean;
}

/** How much is thought, and what of it counts against the limit of the answer. */
export interface Thinking {
  readonly effort: ReasoningEffort;
  readonly maxReasoningTokens?: number;
  readonly limitCovers?: "all" | "answer";
  /** A model that thinks may not listen to stop sequences. */
  readonly ignoresStop?: boolean;
}

export interface AnswerDialect {
  newId(now: number): string;
  newCallId(): string;
  /** Fields beside the choices, besides id, object, time and model. */
  common(request: ChatRequest): JsonObject;
  message(choice: Choice, pieces: readonly Piece[], reply: ChatReply): JsonObject;
  /** Made anew for each choice, since what comes may depend on what came. */
  deltas(choice: Choice, reply: ChatReply): DeltaWriter;
  chunkChoice(choice: ChunkChoice): JsonObject;
  usage(totals: Totals): JsonObject;
  /** Whether chunks have a null usage, even if the client did not ask for usage. */
  readonly showsNullUsage: boolean;
}

export interface DeltaWriter {
  readonly opening: JsonObject | undefined;
  /** `undefined` for a piece that does not show. */
  delta(piece: Piece): JsonObject | undefined;
  closing(): JsonObject;
}

interface ChunkChoice {
  readonly index: number;
  readonly delta: JsonObject;
  readonly logprobs: JsonObject | null;
  readonly finish: string | null;
}
