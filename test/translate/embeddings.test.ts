import { describe, expect, test } from "bun:test";
import type { EmbeddingRequest, Embeddings } from "#core/embedding.ts";
import { FAULTS } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import type { InboundFormat, OutboundFormat } from "#core/operation.ts";
import { NO_USAGE } from "#core/usage.ts";
import { Form } from "#lib/form.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { integerOf, listOf, memberOf, textOf } from "#lib/values.ts";
import { findProvider } from "#providers/index.ts";
import { embedTexts } from "#styles/embedding/cohere/index.ts";
import { batchEmbedContents, embedContent } from "#styles/embedding/gemini/index.ts";
import { embeddings } from "#styles/embedding/openai/index.ts";
import { toBase64 } from "#styles/embedding/vectors.ts";
import { disagreement } from "#test/json-schema.ts";
import { openApiSchemas, readLines, readShared, withVendors } from "#test/shared.ts";

type Format = OutboundFormat<EmbeddingRequest, Embeddings>;

const FORMATS: Readonly<Record<string, Format>> = {
  embeddings,
  "batch-embed-contents": batchEmbedContents,
  "cohere-embed": embedTexts,
};

const INBOUND: Readonly<Record<string, InboundFormat<EmbeddingRequest, Embeddings>>> = {
  embeddings,
  "cohere-embed": embedTexts,
};

/** Of vendors that have no row of their own, and of those by another name. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure: "azure-openai",
  doubleword: "openai-compatible",
  "local-openai-compatible": "openai-compatible",
  venice: "openai-compatible",
};

interface Recorded {
  readonly provider: string;
  readonly file: string;
  readonly endpoint: string;
  readonly status: number;
  readonly asked: JsonObject | undefined;
  readonly answer: JsonObject;
}

/** Every recorded question and answer, in each format: nothing may be lost on its way. */
withVendors("corpus", () =>
  describe("recorded embeddings", () => {
    const all = readLines("corpus/index.jsonl").flatMap(readRecord);
    const good = all.filter(({ status }) => status === 200);
    const ofFormat = (endpoint: string) => good.filter((record) => record.endpoint === endpoint);

    test("[A4.8] requests of the chat style are read, with all fields", () => {
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

    test("[A4.7-c] requests of the native style are read", () => {
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

    test("[A4.8] requests of all vendors with embeddings are written again unchanged, without a loss", () => {
      const questions = good.filter(({ asked, endpoint }) => asked && endpoint in INBOUND);

      expect(new Set(questions.map(({ provider }) => provider)).size).toBeGreaterThan(7);
      for (const { file, provider, endpoint, asked = {} } of questions) {
        if ("images" in asked) continue;
        const [row] = findProvider(PROVIDERS[provider] ?? provider)?.embeddings ?? [];
        const question = INBOUND[endpoint]?.inbound.read({ model: "m", ...asked }, {});
        const report = new LossReport();

        const built =
          question &&
          row?.style.outbound.build(question, {
            report,
            model: {},
            ...(row.dialect && { dialect: row.dialect }),
          });

        if (built === undefined || built instanceof Form) throw new Error(`Nobody for ${file}.`);
        expect([file, meantBy(built)]).toEqual([file, meantBy({ model: "m", ...asked })]);
        expect([file, report.fields]).toEqual([file, []]);
      }
    });

    test("requests with images are refused, since only texts are supported", () => {
      const ofPictures = ofFormat("cohere-embed").filter(({ asked = {} }) => "images" in asked);

      expect(ofPictures.length).toBeGreaterThan(0);
      for (const { asked = {} } of ofPictures) {
        expect(() => embedTexts.inbound.read(asked, {})).toThrow("'images' cannot be carried");
      }
    });

    test("[A2.7] responses by number type are written again unchanged", () => {
      const records = ofFormat("cohere-embed").filter(({ asked = {} }) => "texts" in asked);

      expect(records.length).toBeGreaterThan(3);
      for (const { file, asked = {}, answer } of records) {
        const question = embedTexts.inbound.read(asked, {});
        const read = embedTexts.outbound.parse(answer, question);

        const written = embedTexts.inbound.write({ usage: NO_USAGE, ...read }, question);

        const { embeddings: all, texts, meta, response_type: type } = written;
        expect([file, vectorsIn({ embeddings: all ?? null })]).toEqual([
          file,
          vectorsIn(answer).map(inFourBytes),
        ]);
        // Some models answer with their texts in small letters.
        expect([file, small(texts)]).toEqual([file, small(answer["texts"])]);
        expect([file, type, tokensIn({ meta: meta ?? null })]).toEqual([
          file,
          textOf(answer["response_type"]) ?? "",
          tokensIn(answer),
        ]);
      }
    });

    test("responses keep every embedding, and the usage", () => {
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

    test("[A2.7] and conform to the vendor's own description", () => {
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

    test("failures of a response differ by the responsible side", () => {
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
      provider: textOf(provider) ?? "",
      endpoint: textOf(endpoint) ?? "",
      status: integerOf(status) ?? 0,
      asked: isObject(asked) ? asked : undefined,
      answer,
    },
  ];
}

/** What a question is about: how vectors are written is between us and the vendor. */
function meantBy({ input, ...rest }: JsonObject): object {
  const said = Object.entries(rest).filter(
    ([name, value]) => (value ?? null) !== null && name !== "encoding_format",
  );
  return { ...Object.fromEntries(said), input: [input ?? []].flat() };
}

function small(texts: Json | undefined): readonly string[] {
  return listOf(texts).map((text) => (textOf(text) ?? "").toLowerCase());
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
