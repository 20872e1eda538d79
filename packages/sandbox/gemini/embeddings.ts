import { vectorOf } from "../engine/vector.ts";
import type { Json, JsonObject } from "../json.ts";
import { ApiError, invalid } from "./error.ts";
import {
  batchEmbedContentsRequest,
  embedContentRequest,
  readMessage,
  type EmbedContentMessage,
} from "./proto/requests.ts";

export const EMBED_VERBS: readonly string[] = ["embedContent", "batchEmbedContents"];

const EMBEDDER = "gemini-embedding-001";
const SIZE = 3_072;
const MAX_REQUESTS = 100;

/** One vector, or as many as there are requests. It does not say what it used. */
export function embed(
  model: string,
  verb: string,
  version: string,
  body: Json | undefined,
): JsonObject {
  if (model !== EMBEDDER) {
    throw new ApiError(
      404,
      `models/${model} is not found for API version ${version}, or is not supported for ${verb}. Call ListModels to see the list of available models and their supported methods.`,
    );
  }
  if (verb === "embedContent") {
    return { embedding: vectorFor(readMessage(embedContentRequest, body), "EmbedContentRequest") };
  }
  const { requests = [] } = readMessage(batchEmbedContentsRequest, body);
  if (requests.length > MAX_REQUESTS) {
    throw invalid(
      "* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch\n",
    );
  }
  return {
    embeddings: requests.map((request, at) => {
      const path = `BatchEmbedContentsRequest.requests[${at}]`;
      if (request.model === `models/${model}`) return vectorFor(request, path);
      throw invalid(`* ${path}.model: model must match the model in the path\n`);
    }),
  };
}

/** A shorter vector is the beginning of the whole one, whose length nobody sets to one again. */
function vectorFor(
  { content, outputDimensionality: size = SIZE }: EmbedContentMessage,
  path: string,
): JsonObject {
  const text = (content?.parts ?? []).map((part) => part.text ?? "").join("");
  if (text === "") throw invalid(`* ${path}.content: contents is not specified\n`);
  if (size < 1 || size > SIZE) {
    throw invalid(`* ${path}.output_dimensionality: must be from 1 to ${SIZE}\n`);
  }
  return { values: Array.from(vectorOf(text, SIZE).subarray(0, size)) };
}

/** As the list of models has it. */
export const EMBEDDER_BODY = {
  name: `models/${EMBEDDER}`,
  version: "001",
  displayName: "Gemini Embedding 001",
  description: "Turns texts into vectors.",
  inputTokenLimit: 2_048,
  outputTokenLimit: 1,
  supportedGenerationMethods: EMBED_VERBS,
};
