import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { embedding, type EmbeddingRequest } from "#core/embedding.ts";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import { NO_USAGE } from "#core/usage.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { SEED } from "#test/seed.ts";
import type { EmbeddingDialect } from "./dialect.ts";
import { embeddings } from "./index.ts";

const read = (body: JsonObject) => embeddings.inbound.read({ model: "m", ...body }, {});

function built(question: Partial<EmbeddingRequest>, dialect: Partial<EmbeddingDialect> = {}) {
  const report = new LossReport();
  const whole = { model: "m", inputs: ["a"], ...question };
  const body = embeddings.outbound.build(whole, { report, model: {}, dialect: { ...dialect } });
  return { body, lost: report.fields };
}

const asked = (...inputs: string[]): EmbeddingRequest => ({ model: "m", inputs });
const parse = (data: Json, usage: Json = null) =>
  embeddings.outbound.parse({ data, usage }, asked("a", "b"));
const item = (index: number | null, value: Json): Json => ({ index, embedding: value });

describe("an embeddings request", () => {
  test("[A4.8] is a text, or a list of texts", () => {
    expect(read({ input: "a" })).toEqual({ model: "m", inputs: ["a"] });
    expect(read({ input: ["a", "b"] })).toEqual({ model: "m", inputs: ["a", "b"] });
  });

  test("may be the tokens of one text, or of several", () => {
    expect(read({ input: [1, 2] }).inputs).toEqual([[1, 2]]);
    expect(read({ input: [[1, 2], [3]] }).inputs).toEqual([[1, 2], [3]]);
  });

  test("[A4.8] has the length, encoding, purpose and user", () => {
    const more = { encoding_format: "base64", dimensions: 256, input_type: "query", user: "u" };

    expect(read({ input: "a", ...more })).toMatchObject({
      encoding: "base64",
      dimensions: 256,
      task: "query",
      user: "u",
    });
    expect(read({ input: "a", encoding_format: "float", dimensions: null })).toEqual(asked("a"));
  });

  test("keeps other fields for upstreams that support them", () => {
    const { extra } = read({ input: "a", truncation: true, user: null, made_up: null });

    expect(extra).toEqual({ embeddings: { truncation: true } });
  });

  test.each<[string, JsonObject, string]>([
    ["no input", {}, "input"],
    ["an empty text", { input: "" }, "input"],
    ["an empty text among others", { input: ["a", ""] }, "input[1]"],
    ["an empty list", { input: [] }, "input"],
    ["no tokens of a text", { input: [[]] }, "input[0]"],
    ["an invalid token", { input: [1.5] }, "input[0]"],
    ["texts and tokens together", { input: ["a", [1]] }, "input"],
    ["more texts than there may be", { input: Array(2_049).fill("a") }, "input"],
    ["no vector at all", { input: "a", dimensions: 0 }, "dimensions"],
    ["another way of writing vectors", { input: "a", encoding_format: "hex" }, "encoding_format"],
    ["a model without a name", { input: "a", model: "" }, "model"],
  ])("with %s is refused", (_, body, param) => {
    const refusal = refusalOf(() => read(body));

    expect([refusal.code, refusal.param]).toEqual(["invalid_request", param]);
  });
});

describe("an embeddings response", () => {
  const vectors = [Float32Array.of(0.5, -1), Float32Array.of(2, 0.25)];
  const answer = { vectors, usage: { ...NO_USAGE, inputTokens: 7 } };

  test("[A2.7] is a list of embeddings in the order of the inputs, with usage", () => {
    expect(embeddings.inbound.write(answer, asked("a", "b"))).toEqual({
      object: "list",
      data: [
        { object: "embedding", index: 0, embedding: [0.5, -1] },
        { object: "embedding", index: 1, embedding: [2, 0.25] },
      ],
      model: "m",
      usage: { prompt_tokens: 7, total_tokens: 7 },
    });
  });

  test("[A4.8] is in base64 for clients that request it", () => {
    const { data } = embeddings.inbound.write(answer, { ...asked("a", "b"), encoding: "base64" });

    expect(data).toMatchObject([{ embedding: "AAAAPwAAgL8=" }, { embedding: "AAAAQAAAgD4=" }]);
  });

  test("keeps every embedding, in each encoding", () => {
    const finite = fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
    const some = fc.array(fc.array(finite, { minLength: 3, maxLength: 3 }), { minLength: 1 });
    fc.assert(
      fc.property(
        some,
        fc.constantFrom("float" as const, "base64" as const),
        (numbers, encoding) => {
          const given = numbers.map((each) => Float32Array.from(each));
          const question = { ...asked(...given.map(String)), encoding };
          const body = embeddings.inbound.write({ ...answer, vectors: given }, question);
          const sent = JSON.parse(JSON.stringify(body)) as JsonObject;

          expect(embeddings.outbound.parse(sent, question).vectors).toEqual(given);
        },
      ),
      { seed: SEED },
    );
  });
});

describe("an upstream", () => {
  test("gets only common fields if its features are unknown", () => {
    expect(built({ inputs: ["a", "b"], dimensions: 8, encoding: "base64" })).toEqual({
      body: { model: "m", input: ["a", "b"], dimensions: 8 },
      lost: [],
    });
  });

  test("gets its own dialect", () => {
    const dialect = {
      encoding: "base64",
      dimensions: "output_dimension",
      takesTokens: true,
      takesUser: true,
      task: { member: "input_type", words: { query: "search" } },
    } as const;
    const question = { inputs: [[1, 2]], dimensions: 8, task: "query", user: "u" } as const;

    expect(built(question, dialect)).toEqual({
      body: {
        model: "m",
        input: [[1, 2]],
        encoding_format: "base64",
        output_dimension: 8,
        input_type: "search",
        user: "u",
      },
      lost: [],
    });
  });

  test("gets no unsupported fields, which are reported", () => {
    const question = { task: "clustering", title: "t", user: "u" } as const;

    expect(built(question)).toEqual({
      body: { model: "m", input: ["a"] },
      lost: ["task", "title", "user"],
    });
  });

  test("gets its additional fields, and the rest is reported", () => {
    const extra = { embeddings: { truncate: true, made_up: 1 }, native: { autoTruncate: true } };
    const toAll = built({ extra }, { carries: "all" });

    expect(built({ extra }, { carries: { truncate: "truncation" } })).toEqual({
      body: { model: "m", input: ["a"], truncation: true },
      lost: ["made_up", "autoTruncate"],
    });
    expect(toAll.body).toEqual({ model: "m", input: ["a"], truncate: true, made_up: 1 });
    expect(toAll.lost).toEqual(["autoTruncate"]);
  });

  test("that requires texts gets no tokens", () => {
    expect(refusalOf(() => built({ inputs: [[1, 2]] })).code).toBe("not_carried");
  });

  test("may answer in any order, and with numbers or base64", () => {
    const { vectors } = parse([item(1, [2]), item(0, "AACAPw==")]);

    expect(vectors).toEqual([Float32Array.of(1), Float32Array.of(2)]);
  });

  test("without indexes keeps the order", () => {
    expect(parse([item(null, [1]), item(null, [2])]).vectors[1]).toEqual(Float32Array.of(2));
  });

  test.each<[string, Json]>([
    ["two for one input", [item(0, [1]), item(0, [2])]],
    ["one for an input that was not there", [item(0, [1]), item(2, [2])]],
    ["one that has no number beside one that has", [item(0, [1]), item(null, [2])]],
    ["one too few", [item(0, [1])]],
    ["no vectors at all", null],
  ])("that answers with %s has failed", (_, data) => {
    expect(refusalOf(() => parse(data)).code).toBe("upstream_failed");
  });

  test.each<[string, Json, number | undefined]>([
    ["the tokens of the prompt", { prompt_tokens: 5, total_tokens: 5 }, 5],
    ["a total only", { total_tokens: 12 }, 12],
    ["nothing that can be true", { total_tokens: 0 }, undefined],
    ["nothing", null, undefined],
  ])("reports %s", (_, usage, tokens) => {
    const { usage: told } = parse([item(0, [1]), item(1, [2])], usage);

    expect(told?.inputTokens).toBe(tokens);
  });

  test("may get parts and answer in any order, and the merged result has the order of the inputs", () => {
    const texts = fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 1, max: 9 }),
        fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8], { minLength: 9 }),
        (numbers, most, order) => {
          const question = asked(...numbers.map(String));
          const parts = embedding.split(question, most).map((part) => {
            const data = order
              .filter((at) => at < part.inputs.length)
              .map((at) => item(at, [Number(part.inputs[at])]));
            return { question: part, answer: embeddings.outbound.parse({ data }, part) };
          });

          expect(parts.every((part) => part.question.inputs.length <= most)).toBe(true);
          expect(embedding.join(parts, question).vectors.map(([value]) => value)).toEqual(numbers);
        },
      ),
      { seed: SEED },
    );
  });
});

function refusalOf(action: () => unknown): GatewayError {
  try {
    action();
  } catch (cause) {
    return GatewayError.from(cause);
  }
  throw new Error("Nothing was refused.");
}
