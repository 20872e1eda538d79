import { afterAll, beforeAll, expect, test } from "bun:test";
import OpenAI from "openai";
import { startSandbox, type Sandbox } from "./server.ts";

const MODEL = "text-embedding-3-small";

let sandbox: Sandbox;
let client: OpenAI;
beforeAll(async () => {
  sandbox = await startSandbox();
  client = new OpenAI({ apiKey: "sk-test", baseURL: `${sandbox.url}/openai/v1`, maxRetries: 0 });
});
afterAll(() => sandbox.stop());

async function embed(...input: string[]): Promise<number[][]> {
  const { data } = await client.embeddings.create({ model: MODEL, input });
  return data.map(({ embedding }) => embedding);
}

const alike = (one: readonly number[] = [], other: readonly number[] = []): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

async function refusal(body: object): Promise<unknown[]> {
  const answer = await fetch(`${sandbox.url}/openai/v1/embeddings`, {
    method: "POST",
    headers: { authorization: "Bearer sk-test", "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const { error } = (await answer.json()) as { error?: { message: string } };
  return [answer.status, error?.message];
}

test("texts that share words are closer than those that do not", async () => {
  const [one, same, near, far] = await embed(
    "the cat sat on the mat",
    "the cat sat on the mat",
    "a cat sits on a mat",
    "quarterly revenue grew",
  );

  expect(one).toEqual(same ?? []);
  expect(alike(one, one)).toBeCloseTo(1, 5);
  expect(alike(one, near)).toBeGreaterThan(alike(one, far) + 0.2);
});

test.each([
  ["text-embedding-3-small", 1_536],
  ["text-embedding-3-large", 3_072],
  ["text-embedding-ada-002", 1_536],
])("vectors of %s have %d numbers", async (model, size) => {
  const { data, usage } = await client.embeddings.create({ model, input: "one two three" });

  expect(data[0]?.embedding.length).toBe(size);
  expect(usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
});

test("embeddings can be shortened, made from tokens, and numbers or base64", async () => {
  const ask = { model: MODEL, input: [[1, 2], [3]], dimensions: 8 };
  const numbers = await client.embeddings.create({ ...ask, encoding_format: "float" });
  const packed = await client.embeddings.create({ ...ask, encoding_format: "base64" });

  const [first] = packed.data as unknown as { embedding: string }[];
  const bytes = Buffer.from(first?.embedding ?? "", "base64");
  expect([bytes.length, bytes.readFloatLE(4)]).toEqual([32, numbers.data[0]?.embedding[1] ?? NaN]);
  expect(numbers.usage.prompt_tokens).toBe(3);
});

test("invalid requests are refused like at the vendor", async () => {
  const invalid = [400, expect.stringContaining("'$.input' is invalid")];
  for (const input of ["", [], [""], [1.5], Array(2_049).fill("a")]) {
    expect(await refusal({ model: MODEL, input })).toEqual(invalid);
  }
  expect(await refusal({ model: "nobody", input: "a" })).toEqual([
    404,
    expect.stringContaining("does not exist"),
  ]);
  expect(await refusal({ model: MODEL, input: "a", dimensions: 0 })).toMatchObject([
    400,
    expect.stringContaining("dimensions"),
  ]);
  expect(
    await refusal({ model: "text-embedding-ada-002", input: "a", dimensions: 8 }),
  ).toMatchObject([400, "This model does not support specifying dimensions."]);
  expect(await refusal({ model: MODEL, input: "word ".repeat(9_000) })).toMatchObject([
    400,
    expect.stringContaining("maximum context length"),
  ]);
});
