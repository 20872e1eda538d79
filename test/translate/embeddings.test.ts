import { describe, expect, test } from "bun:test";
import type { EmbeddingQuestion, Embeddings } from "#core/embedding.ts";
import { FAULTS } from "#core/error.ts";
import type { OutboundFormat } from "#core/operation.ts";
import { NO_USAGE } from "#core/usage.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { integerOf, listOf, memberOf, textOf } from "#lib/values.ts";
import { embedTexts } from "#styles/embedding/cohere/index.ts";
import { batchEmbedContents, embedContent } from "#styles/embedding/gemini/index.ts";
import { embeddings } from "#styles/embedding/openai/index.ts";
import { toBase64 } from "#styles/embedding/vectors.ts";
import { disagreement } from "#test/json-schema.ts";
import { openApiSchemas, readLines, readShared, withShared } from "#test/shared.ts";

type Format = OutboundFormat<EmbeddingQuestion, Embeddings>;

const FORMATS: Readonly<Record<string, Format>> = {
  embeddings,
  "batch-embed-contents": batchEmbedContents,
  "cohere-embed": embedTexts,
};

interface Recorded {
  readonly file: string;
  readonly endpoint: string;
  readonly status: number;
  readonly asked: JsonObject | undefined;
  readonly answer: JsonObject;
}

/** Every recorded question and answer, in each format: nothing may be lost on its way. */
withShared("corpus", () =>
  describe("recorded embeddings", () => {
    const all = readLines("corpus/index.jsonl").flatMap(readRecord);
    const good = all.filter(({ status }) => status === 200);
    const ofFormat = (endpoint: string) => good.filter((record) => record.endpoint === endpoint);

    test("[A4.8] questions of the chat style are read, with all that is acted on", () => {
      const questions = ofFormat("embeddings")
        .map(({ asked }) => asked)
        .filter(isObject);

      expect(questions.length).toBeGreaterThan(30);
      for (const { model = "m", ...asked } of questions) {
        const question = embeddings.inbound.read({ model, ...asked }, {});
        expect<Json>(question.inputs as Json).toEqual([asked["input"]].flat() as Json);
        expect(question.dimensions).toBe(integerOf(asked["dimensions"]));
        expect(question.encoding === "base64").toBe(asked["encoding_format"] === "base64");
      }
    });

    test("[A4.7-c] questions of the native style are read", () => {
      const [{ asked: batch = {} } = {}] = ofFormat("batch-embed-contents");
      const one = ofFormat("embed-content")
        .map(({ asked }) => asked)
        .filter(isObject);
      const read = embedContent({ mayNameModel: false }).inbound.read;

      const address = { model: "gemini-embedding-001" };
      expect(batchEmbedContents.inbound.read(batch, address)).toEqual({
        ...address,
        inputs: ["Some text goes here"],
        dimensions: 768,
      });
      expect(one.map((body) => read(body, address).inputs)).toEqual([["embed this"]]);
    });

    test("answers keep every vector, and what was used", () => {
      for (const [endpoint, format] of Object.entries(FORMATS)) {
        const records = ofFormat(endpoint).filter(({ answer }) => vectorsIn(answer).length > 0);
        expect(records.length).toBeGreaterThan(0);
        for (const { file, answer } of records) {
          const written = vectorsIn(answer);
          const question = { model: "m", inputs: written.map(String) };

          const { vectors, usage } = format.outbound.parse(answer, question);

          const again = vectors.map((vector, at) =>
            isArray(written[at]) ? [...vector] : toBase64(vector),
          );
          expect<unknown>([file, again]).toEqual([file, written.map(inFourBytes)]);
          expect([file, usage?.inputTokens ?? 0]).toEqual([file, tokensIn(answer)]);
        }
      }
    });

    test("[A2.7] and are written anew as the vendor's own description has it", () => {
      const resolve = openApiSchemas("schemas/openai.openapi.yaml");
      for (const { file, answer } of ofFormat("embeddings")) {
        const question = { model: "m", inputs: vectorsIn(answer).map(String) };
        const read = embeddings.outbound.parse(answer, question);
        const usage = read.usage ?? { ...NO_USAGE, inputTokens: 1 };

        const written = embeddings.inbound.write({ ...read, usage }, question);

        expect([
          file,
          disagreement(written, { $ref: "#/components/schemas/CreateEmbeddingResponse" }, resolve),
        ]).toEqual([file, undefined]);
      }
    });

    test("a failed answer is told apart by whose fault it is", () => {
      const failed = all.filter(({ status }) => status !== 200);

      const seen = failed.map(({ file, endpoint, status, answer }) => {
        const format = FORMATS[endpoint] ?? batchEmbedContents;
        const { code } = format.outbound.parseError(status, JSON.stringify(answer));
        return [file, status, FAULTS[code].blame];
      });

      expect(seen.length).toBeGreaterThan(10);
      expect(
        seen.filter(([, status]) => status === 401 || status === 404).map(([, , blame]) => blame),
      ).not.toContain("client");
    });
  }),
);

function readRecord(line: JsonObject): readonly Recorded[] {
  const { file, provider, endpoint, status } = line;
  // One vendor packs its numbers into single bytes.
  const isPacked = provider === "perplexity";
  if (isPacked || !/embed/.test(textOf(endpoint) ?? "") || typeof file !== "string") return [];
  const { request, response } = readShared(`corpus/${file}`);
  const asked = memberOf(request, "body");
  const answer = memberOf(response, "body");
  if (!isObject(answer)) return [];
  return [
    {
      file,
      endpoint: textOf(endpoint) ?? "",
      status: integerOf(status) ?? 0,
      asked: isObject(asked) ? asked : undefined,
      answer,
    },
  ];
}

/** As they stand in an answer of any format. */
function vectorsIn({ data, embeddings: all }: JsonObject): readonly Json[] {
  const byKind = memberOf(all, "float");
  if (byKind !== undefined) return listOf(byKind);
  const items = [...listOf(data), ...listOf(all)];
  return items.map((each) => memberOf(each, "embedding") ?? memberOf(each, "values") ?? null);
}

function inFourBytes(vector: Json): Json {
  return isArray(vector) ? vector.map((value) => Math.fround(Number(value))) : vector;
}

function tokensIn({ usage, meta }: JsonObject): number {
  const billed = memberOf(memberOf(meta, "billed_units"), "input_tokens");
  return integerOf(memberOf(usage, "total_tokens")) ?? integerOf(billed) ?? 0;
}
