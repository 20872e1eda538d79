import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createCohere } from "@ai-sdk/cohere";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { GoogleGenAI } from "@google/genai";
import { embed, embedMany, type EmbeddingModel } from "ai";
import { CohereClientV2 } from "cohere-ai";
import OpenAI from "openai";
import { KEY } from "#test/harness.ts";
import { KINDS, MODEL, openPlace, vectorOf, type Place } from "#test/embedding-vendors.ts";

const TEXTS = ["the cat sat on the mat", "a cat sits on a mat", "quarterly revenue"];

/** As exact as the four bytes of a number are. */
const isVectorOf = (given: readonly number[] | undefined, text: string, size?: number): void =>
  expect(Float32Array.from(given ?? [])).toEqual(vectorOf(text, size));

describe.each(KINDS.map((kind) => [kind.provider, kind] as const))(
  "the official clients, unmodified, on an upstream such as %s",
  (_, kind) => {
    let place: Place;
    beforeAll(async () => {
      place = await openPlace(kind);
    });
    afterAll(() => place[Symbol.asyncDispose]());

    const openai = (prefix = ""): OpenAI =>
      new OpenAI({ baseURL: `${place.gateway.url}${prefix}/v1`, apiKey: KEY, maxRetries: 0 });

    test("[A4.8] the one of the chat style gets embeddings, requested in base64", async () => {
      const { data, model, usage } = await openai().embeddings.create({
        model: MODEL,
        input: TEXTS,
      });

      expect([data.map(({ index }) => index), model]).toEqual([[0, 1, 2], MODEL]);
      for (const [at, text] of TEXTS.entries()) isVectorOf(data[at]?.embedding, text);
      expect(usage.prompt_tokens).toBeGreaterThan(0);
      expect(usage.total_tokens).toBe(usage.prompt_tokens);
    });

    test("[A4.8] it gets numbers on request, with the requested length", async () => {
      const [text = ""] = TEXTS;
      const { data } = await openai("/openai").embeddings.create({
        model: MODEL,
        input: text,
        encoding_format: "float",
        dimensions: 16,
      });

      isVectorOf(data[0]?.embedding, text, 16);
    });

    test("[A4.7-c] [A4.9-b] the one of the native style gets embeddings", async () => {
      const client = new GoogleGenAI({
        apiKey: KEY,
        httpOptions: { baseUrl: place.gateway.url },
      });

      const { embeddings } = await client.models.embedContent({
        model: MODEL,
        contents: TEXTS,
        config: { taskType: "RETRIEVAL_DOCUMENT", outputDimensionality: 16 },
      });

      for (const [at, text] of TEXTS.entries()) isVectorOf(embeddings?.[at]?.values, text, 16);
    });

    test("[A4.8] Cohere's gets embeddings, as numbers or in base64", async () => {
      const client = new CohereClientV2({ environment: place.gateway.url, token: KEY });
      const ask = (type: "float" | "base64") =>
        client.embed({
          model: MODEL,
          texts: TEXTS,
          inputType: "search_document",
          embeddingTypes: [type],
          outputDimension: 16,
        });

      const { id, embeddings, texts, meta } = await ask("float");
      const short = await ask("base64");

      for (const [at, text] of TEXTS.entries()) isVectorOf(embeddings.float?.[at], text, 16);
      expect(short.embeddings.base64).toEqual(
        TEXTS.map((text) => Buffer.from(vectorOf(text, 16).buffer).toString("base64")),
      );
      expect([id, texts]).toEqual([expect.any(String), TEXTS]);
      expect(meta?.billedUnits?.inputTokens).toBeGreaterThan(0);
    });

    const packages: readonly (readonly [string, () => EmbeddingModel])[] = [
      [
        "openai",
        () => createOpenAI({ baseURL: `${place.gateway.url}/v1`, apiKey: KEY }).embedding(MODEL),
      ],
      [
        "cohere",
        () => createCohere({ baseURL: `${place.gateway.url}/v2`, apiKey: KEY }).embedding(MODEL),
      ],
      [
        "google",
        () =>
          createGoogleGenerativeAI({
            baseURL: `${place.gateway.url}/v1beta`,
            apiKey: KEY,
          }).embedding(MODEL),
      ],
    ];

    test.each(packages)(
      "the AI SDK's package for %s gets one embedding or many",
      async (_, model) => {
        const [text = ""] = TEXTS;
        const one = await embed({ model: model(), value: text, maxRetries: 0 });
        const many = await embedMany({ model: model(), values: TEXTS, maxRetries: 0 });

        isVectorOf(one.embedding, text);
        for (const [at, each] of TEXTS.entries()) isVectorOf(many.embeddings[at], each);
      },
    );
  },
);
