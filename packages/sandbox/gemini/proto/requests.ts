import type { Json } from "@sluice/sandbox/json.ts";
import { detail, invalid } from "../error.ts";
import { content } from "./content.ts";
import { generationConfig } from "./generation-config.ts";
import { message, repeated } from "./message.ts";
import { rootPlace } from "./place.ts";
import { boolean, bytes, enumeration, int32, text, type Reader } from "./scalars.ts";
import { tool, toolConfig } from "./tools.ts";

const safetySetting = message("SafetySetting", {
  category: enumeration("HarmCategory", [
    "HARM_CATEGORY_UNSPECIFIED",
    "HARM_CATEGORY_DEROGATORY",
    "HARM_CATEGORY_TOXICITY",
    "HARM_CATEGORY_VIOLENCE",
    "HARM_CATEGORY_SEXUAL",
    "HARM_CATEGORY_MEDICAL",
    "HARM_CATEGORY_DANGEROUS",
    "HARM_CATEGORY_HARASSMENT",
    "HARM_CATEGORY_HATE_SPEECH",
    "HARM_CATEGORY_SEXUALLY_EXPLICIT",
    "HARM_CATEGORY_DANGEROUS_CONTENT",
    "HARM_CATEGORY_CIVIC_INTEGRITY",
  ]),
  threshold: enumeration("SafetySetting.HarmBlockThreshold", [
    "HARM_BLOCK_THRESHOLD_UNSPECIFIED",
    "BLOCK_LOW_AND_ABOVE",
    "BLOCK_MEDIUM_AND_ABOVE",
    "BLOCK_ONLY_HIGH",
    "BLOCK_NONE",
    "OFF",
  ]),
});

/** Fields that a request and a cached content share. */
const prompt = {
  model: text,
  contents: repeated(content),
  systemInstruction: content,
  tools: repeated(tool),
  toolConfig,
};

export const generateContentRequest = message("GenerateContentRequest", {
  ...prompt,
  generationConfig,
  safetySettings: repeated(safetySetting),
  cachedContent: text,
  continuationToken: bytes,
  serviceTier: enumeration("ServiceTier", ["UNSPECIFIED", "STANDARD", "FLEX", "PRIORITY"]),
  store: boolean,
});

export const countTokensRequest = message("CountTokensRequest", {
  model: text,
  contents: repeated(content),
  generateContentRequest,
});

export const embedContentRequest = message("EmbedContentRequest", {
  model: text,
  content,
  taskType: enumeration("TaskType", [
    "TASK_TYPE_UNSPECIFIED",
    "RETRIEVAL_QUERY",
    "RETRIEVAL_DOCUMENT",
    "SEMANTIC_SIMILARITY",
    "CLASSIFICATION",
    "CLUSTERING",
    "QUESTION_ANSWERING",
    "FACT_VERIFICATION",
    "CODE_RETRIEVAL_QUERY",
  ]),
  title: text,
  outputDimensionality: int32,
});

export const batchEmbedContentsRequest = message("BatchEmbedContentsRequest", {
  requests: repeated(embedContentRequest),
});

export const cachedContentMessage = message("CachedContent", {
  ...prompt,
  name: text,
  displayName: text,
  ttl: text,
  expireTime: text,
});

export type GenerateContentMessage = Read<typeof generateContentRequest>;
export type EmbedContentMessage = Read<typeof embedContentRequest>;
/** The part of either that is put before the model. */
export type PromptMessage = Pick<
  GenerateContentMessage,
  "contents" | "systemInstruction" | "tools" | "toolConfig"
>;

type Read<Each> = Each extends Reader<infer Value> ? Value : never;

/** Reads a body as the message; all that is wrong with its form is told at once. */
export function readMessage<Value>(read: Reader<Value>, body: Json | undefined): Value {
  if (body === undefined)
    throw invalid("Invalid JSON payload received. The body could not be parsed as JSON.");
  const place = rootPlace();
  const value = body === null ? read({}, place) : read(body, place);
  const { violations } = place;
  if (value !== undefined && violations.length === 0) return value;
  throw invalid(violations.map(({ description }) => description).join("\n"), [
    detail("BadRequest", {
      fieldViolations: violations.map(({ field, description }) =>
        field === "" ? { description } : { field, description },
      ),
    }),
  ]);
}
