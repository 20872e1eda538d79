import { z } from "zod";

const vector = z.array(z.number());

export const EMBEDDINGS = z
  .looseObject({
    object: z.literal("list"),
    data: z.array(
      z.looseObject({
        object: z.literal("embedding"),
        index: z.int(),
        embedding: z.union([vector, z.string()]),
      }),
    ),
    model: z.string(),
    usage: z.looseObject({ prompt_tokens: z.int(), total_tokens: z.int() }),
  })
  .meta({ id: "Embeddings" });

export const EMBEDDED_TEXTS = z
  .looseObject({
    id: z.string(),
    embeddings: z.record(z.string(), z.array(z.union([vector, z.string()]))),
    texts: z.array(z.string()),
  })
  .meta({ id: "EmbeddedTexts" });

const NATIVE_VECTOR = z.looseObject({ values: vector });

export const NATIVE_EMBEDDING = z.looseObject({ embedding: NATIVE_VECTOR });
export const NATIVE_EMBEDDINGS = z.looseObject({ embeddings: z.array(NATIVE_VECTOR) });

export const PREDICTIONS = z
  .looseObject({
    predictions: z.array(
      z.looseObject({
        bytesBase64Encoded: z.string().optional(),
        gcsUri: z.string().optional(),
        mimeType: z.string().optional(),
        raiFilteredReason: z.string().optional(),
        embeddings: NATIVE_VECTOR.optional(),
      }),
    ),
  })
  .meta({ id: "Predictions" });

export const RANKING = z
  .looseObject({
    id: z.string().optional(),
    model: z.string(),
    results: z.array(
      z.looseObject({
        index: z.int(),
        relevance_score: z.number(),
        document: z.union([z.string(), z.looseObject({ text: z.string() })]).optional(),
      }),
    ),
    usage: z.looseObject({ total_tokens: z.int() }),
  })
  .meta({ id: "Ranking" });
