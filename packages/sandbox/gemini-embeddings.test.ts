import { afterAll, beforeAll, expect, test } from "bun:test";
import { GoogleGenAI } from "@google/genai";
import { startSandbox, type Sandbox } from "./server.ts";

const MODEL = "gemini-embedding-001";

let sandbox: Sandbox;
let client: GoogleGenAI;
beforeAll(async () => {
  sandbox = await startSandbox();
  client = new GoogleGenAI({
    apiKey: "AIza-test",
    httpOptions: { baseUrl: `${sandbox.url}/gemini` },
  });
});
afterAll(() => sandbox.stop());

async function status(verb: string, body: object, model = MODEL): Promise<number> {
  const answer = await fetch(`${sandbox.url}/gemini/v1beta/models/${model}:${verb}`, {
    method: "POST",
    headers: { "x-goog-api-key": "AIza-test", "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
  return answer.status;
}

test("the official client gets an embedding for each text, whole or shortened", async () => {
  const whole = await client.models.embedContent({ model: MODEL, contents: ["a cat", "a dog"] });
  const short = await client.models.embedContent({
    model: MODEL,
    contents: ["a cat"],
    config: { outputDimensionality: 768, taskType: "RETRIEVAL_QUERY" },
  });

  const [first, second] = whole.embeddings ?? [];
  expect([first?.values?.length, second?.values?.length]).toEqual([3_072, 3_072]);
  expect(second?.values).not.toEqual(first?.values ?? []);
  expect(short.embeddings?.[0]?.values).toEqual(first?.values?.slice(0, 768) ?? []);
});

test("invalid requests are refused like at the vendor", async () => {
  const content = { parts: [{ text: "a" }] };

  expect(await status("embedContent", { content })).toBe(200);
  expect(await status("embedContent", { content }, "gemini-2.5-flash")).toBe(404);
  expect(await status("embedContent", { content: { parts: [] } })).toBe(400);
  expect(await status("embedContent", { content, taskType: "GUESSING" })).toBe(400);
  expect(await status("embedContent", { content, outputDimensionality: 4_000 })).toBe(400);
  expect(await status("batchEmbedContents", { requests: [{ content }] })).toBe(400);
  const requests = Array(101).fill({ content, model: `models/${MODEL}` });
  expect(await status("batchEmbedContents", { requests })).toBe(400);
});
