import { expect, test } from "bun:test";
import { SEED, random, times } from "../../test/seed.ts";
import { gemini } from "./gemini.ts";
import { isJsonArray, isJsonObject, type Json } from "./json.ts";
import { openVendor } from "./testing/vendors.ts";
import type { Reply } from "./wire/reply.ts";

const WHOLE: Json = {
  contents: [
    { role: "user", parts: [{ text: "Weather in Paris?" }] },
    { role: "model", parts: [{ functionCall: { id: "a", name: "f", args: { city: "Paris" } } }] },
    {
      role: "user",
      parts: [
        {
          functionResponse: {
            id: "a",
            name: "f",
            response: { output: "x" },
            parts: [{ inlineData: { mimeType: "text/plain", data: "eA==" } }],
          },
        },
      ],
    },
    { role: "model", parts: [{ text: "Sunny.", thought: true }, { text: "It is sunny." }] },
    {
      role: "user",
      parts: [
        { text: "Search the web for 2 + 3 and https://example.com" },
        { fileData: { fileUri: "https://example.com/a.pdf", mimeType: "application/pdf" } },
      ],
    },
  ],
  systemInstruction: { parts: [{ text: "Be brief." }] },
  tools: [
    {
      functionDeclarations: [
        {
          name: "f",
          description: "d",
          parameters: {
            type: "OBJECT",
            properties: { city: { type: "STRING", enum: ["Paris", "Rome"], nullable: true } },
            propertyOrdering: ["city"],
            required: ["city"],
          },
        },
      ],
    },
  ],
  toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } },
  safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" }],
  generationConfig: {
    temperature: 1,
    topK: 40,
    candidateCount: 2,
    maxOutputTokens: 300,
    stopSequences: ["x"],
    thinkingConfig: { includeThoughts: true, thinkingBudget: 512 },
  },
};

const SEARCHED: Json = {
  contents: [{ parts: [{ text: "Search the web for 2 + 3 on https://example.com" }] }],
  tools: [{ googleSearch: {} }, { codeExecution: {} }, { urlContext: {} }],
  generationConfig: { responseModalities: ["TEXT"], seed: 4, speechConfig: { languageCode: "de" } },
};

const FORMED: Json = {
  contents: [{ parts: [{ text: "Fill in" }] }],
  generationConfig: {
    responseMimeType: "application/json",
    responseSchema: {
      type: "OBJECT",
      properties: {
        a: { type: "ARRAY", items: { anyOf: [{ type: "NULL" }, { type: "INTEGER" }] } },
      },
      minProperties: "1",
      example: { a: [] },
    },
  },
};

const JUNK: readonly Json[] = [null, true, 0, -1, 1e300, "", "x", "🐙", [], [[]], {}, { a: {} }];

test("a request with any part replaced gets the vendor's error or a response", async () => {
  const next = random(SEED);
  const pick = <T>(list: readonly T[]) => list[Math.floor(next() * list.length)];
  const vendor = openVendor(gemini, () => 0);
  const counts: Record<number, number> = {};

  for (let round = 0; round < times(700, 20_000); round++) {
    const body = damaged(pick([WHOLE, SEARCHED, FORMED]) ?? null, next, pick(JUNK) ?? null);
    const model = pick(["gemini-2.0-flash", "gemini-2.5-flash", "gemini-3.5-flash"]) ?? "";
    const verb = pick(["generateContent", "streamGenerateContent", "countTokens"]) ?? "";
    const reply = await vendor.reply({
      method: "POST",
      path: `/v1beta/models/${model}:${verb}`,
      query: new URLSearchParams("alt=sse"),
      headers: { "x-goog-api-key": "k" },
      bytes: new Uint8Array(),
      body,
      faults: {},
    });
    counts[reply.status] = (counts[reply.status] ?? 0) + 1;
    expect(readWhole(reply)).toBeGreaterThan(0);
    expect(() => vendor.lastUserText(body)).not.toThrow();
  }

  expect(Object.keys(counts).filter((status) => !["200", "400", "403"].includes(status))).toEqual(
    [],
  );
  expect(counts[200]).toBeGreaterThan(times(40, 1_000));
  expect(counts[400]).toBeGreaterThan(times(40, 1_000));
});

function readWhole({ body }: Reply): number {
  if (body.kind === "bytes") return body.bytes.length;
  return body.kind === "events" ? [...body.frames].length : body.head.length;
}

/** The same with one of its parts, chosen by chance, replaced. */
function damaged(value: Json, next: () => number, junk: Json): Json {
  if (next() < 0.08) return junk;
  if (isJsonArray(value) && value.length > 0) {
    const at = Math.floor(next() * value.length);
    return value.map((each, index) => (index === at ? damaged(each, next, junk) : each));
  }
  if (!isJsonObject(value)) return junk;
  const names = Object.keys(value);
  const chosen = names[Math.floor(next() * names.length)];
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      name === chosen ? damaged(each, next, junk) : each,
    ]),
  );
}
