import type { Extra } from "./chat.ts";
import { estimateTokens } from "./count.ts";
import {
  usageOfAll,
  type OperationRequest,
  type OperationKind,
  type OperationResult,
} from "./operation.ts";

/** A request for embedding vectors. */
export interface EmbeddingRequest extends OperationRequest {
  /** Each input is a text, or a text's tokens, which only the model's own vendor understands. */
  readonly inputs: readonly (string | readonly number[])[];
  readonly dimensions?: number;
  /** The purpose of the vectors, if the client states it. */
  readonly task?: EmbeddingTask;
  /** Title of the document. */
  readonly title?: string;
  /** The vector encoding in the response, if the client's format supports a choice. */
  readonly encoding?: "float" | "base64";
  readonly user?: string;
  /** Client fields without an equivalent above, keyed by format id. */
  readonly extra?: Extra;
}

export const EMBEDDING_TASKS = [
  "query",
  "document",
  "similarity",
  "classification",
  "clustering",
  "question_answering",
  "fact_verification",
  "code_query",
] as const;
export type EmbeddingTask = (typeof EMBEDDING_TASKS)[number];

/** One vector per input, in the order of the inputs. */
export interface Embeddings extends OperationResult {
  readonly vectors: readonly Float32Array[];
}

export const embedding: OperationKind<EmbeddingRequest, Embeddings> = {
  sizeOf: ({ inputs }) =>
    inputs.reduce(
      (sum, input) => sum + (typeof input === "string" ? estimateTokens(input) : input.length),
      0,
    ),

  wordsOf: ({ inputs }) => [
    { words: inputs.filter((input) => typeof input === "string"), times: 1 },
  ],

  split(question, maxInputs) {
    const { inputs } = question;
    if (inputs.length <= maxInputs) return [question];
    const parts: EmbeddingRequest[] = [];
    for (let at = 0; at < inputs.length; at += maxInputs) {
      parts.push({ ...question, inputs: inputs.slice(at, at + maxInputs) });
    }
    return parts;
  },

  join(parts) {
    const usage = usageOfAll(parts.map(({ answer }) => answer));
    const vectors = parts.flatMap(({ answer }) => answer.vectors);
    return { vectors, ...(usage === undefined ? {} : { usage }) };
  },
};
