import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openBooks } from "#test/books.ts";
import { json } from "#test/adapter/vendor.ts";
import {
  KINDS,
  MODEL,
  openPlace,
  tokensOf,
  vectorOf,
  type Place,
} from "#test/embedding-vendors.ts";
import { countTexts } from "#relay/metering/tokens.ts";
import { KEY, openTestGateway } from "#test/harness.ts";

const [OPENAI, , GEMINI, COHERE] = KINDS;
if (OPENAI === undefined || GEMINI === undefined || COHERE === undefined) throw new Error();

const TEXTS = ["the cat sat", "on the mat"];
const ofText = (text: string) => ({ content: { parts: [{ text }] } });

/** The same question in each format. */
const FORMATS = [
  { name: "the chat style", path: "/v1/embeddings", body: { model: MODEL, input: TEXTS } },
  {
    name: "the native style",
    path: `/v1beta/models/${MODEL}:batchEmbedContents`,
    body: { requests: TEXTS.map(ofText) },
  },
];

describe.each(KINDS.map((kind) => [kind.provider, kind] as const))(
  "on an upstream such as %s",
  (_, kind) => {
    let place: Place;
    beforeAll(async () => {
      place = await openPlace(kind);
    });
    afterAll(() => place[Symbol.asyncDispose]());

    test.each(["/v1beta", "/v1"])("[A4.7-c] [A4.9-a] %s returns one embedding", async (version) => {
      const path = `${version}/models/${MODEL}:embedContent`;

      const answer = await place.gateway.post(path, {
        ...ofText("a cat"),
        outputDimensionality: 8,
      });

      expect([answer.status, await answer.json()]).toEqual([
        200,
        {
          embedding: { values: [...vectorOf("a cat", 8)] },
          metadata: { usage: { prompt_tokens: 2, total_tokens: 2 } },
        },
      ]);
    });

    test.each(FORMATS)("a request in $name is charged by its tokens", async ({ path, body }) => {
      using books = openBooks(place.gateway.dataDir);
      const spent = books.spent();

      const answer = await place.gateway.post(path, body);

      expect(answer.status).toBe(200);
      await books.whenSettled();
      // 3 dollars for a million tokens are 3000 nano-dollars for one.
      const tokens = kind.provider === "gemini" ? await countTexts(TEXTS) : tokensOf(TEXTS);
      expect(books.spent() - spent).toBe(3_000 * tokens);
      expect(await books.whenSettled()).toEqual([]);
    });

    test.each(FORMATS)(
      "a request in $name repeated with its idempotency key gets the same response, and is charged once",
      async ({ path, body }) => {
        using books = openBooks(place.gateway.dataDir);
        const headers = { "idempotency-key": `again${path}` };

        const first = await (await place.gateway.post(path, body, headers)).text();
        await books.whenSettled();
        const spent = books.spent();
        const again = await place.gateway.post(path, body, headers);

        expect(await again.text()).toBe(first);
        expect(again.headers.get("idempotent-replayed")).toBe("true");
        expect(books.spent()).toBe(spent);
      },
    );
  },
);

describe("without any account the simulator makes embeddings, at the catalogue's price", () => {
  // 13 cents for a million tokens, and 15; the second vendor does not count them.
  test.each([
    ["text-embedding-3-large", 130 * 3],
    ["gemini-embedding-001", 150 * 4],
  ])("%s", async (model, cost) => {
    await using gateway = await openTestGateway({ yaml: "sandbox: auto" });
    using books = openBooks(gateway.dataDir);
    const body = { model, input: "one two three", dimensions: 256 };

    const answer = await gateway.post("/v1/embeddings", body);

    const { data } = (await answer.json()) as { data: { embedding: number[] }[] };
    expect(data.map(({ embedding }) => embedding.length)).toEqual([256]);
    expect(await books.whenSettled()).toEqual([]);
    expect(books.spent()).toBe(cost);
  });
});

describe("an upstream request", () => {
  test("is split if the vendor accepts fewer texts, and the results keep their order", async () => {
    await using place = await openPlace(COHERE);
    const input = Array.from({ length: 200 }, (_, at) => `text ${at}`);

    const answer = await place.gateway.post("/v1/embeddings", { model: MODEL, input });
    const { data } = (await answer.json()) as { data: { embedding: number[] }[] };

    const asked = place.vendor.seen.map(({ body }) => (body["texts"] as string[]).length);
    expect(asked).toEqual([96, 96, 8]);
    expect(data.map(({ embedding }) => embedding)).toEqual(
      input.map((text) => [...vectorOf(text)]),
    );
  });

  test("has the operator's credential, and the purpose in the vendor's notation", async () => {
    await using place = await openPlace(GEMINI);

    await place.gateway.post("/v1/embeddings", { model: MODEL, input: "a", input_type: "query" });

    expect(place.vendor.last.headers.get("x-goog-api-key")).toBe("upstream-secret");
    expect(place.vendor.last.body).toEqual({
      requests: [{ model: `models/${MODEL}`, ...ofText("a"), taskType: "RETRIEVAL_QUERY" }],
    });
  });

  test("loses fields that the vendor does not support, with a report, or is refused for strict clients", async () => {
    await using place = await openPlace(OPENAI);
    const path = `/v1/models/${MODEL}:embedContent`;
    const body = { ...ofText("a"), taskType: "CLUSTERING" };

    const lossy = await place.gateway.post(path, body);
    const strict = await place.gateway.post(path, body, { "sluice-strict": "true" });

    expect([lossy.status, lossy.headers.get("sluice-lossy")]).toEqual([200, "task"]);
    expect([strict.status, place.vendor.seen.length]).toEqual([400, 1]);
  });

  test("has no tokens if the vendor requires texts", async () => {
    await using place = await openPlace(COHERE);

    const refused = await place.gateway.post("/v1/embeddings", { model: MODEL, input: [1, 2] });

    expect([refused.status, place.vendor.seen.length]).toEqual([400, 0]);
    expect(await refused.json()).toMatchObject({ error: { param: "input" } });
  });
});

describe("an error", () => {
  test.each(FORMATS)(
    "of the vendor is translated to $name, and costs nothing",
    async ({ path, body }) => {
      await using place = await openPlace(OPENAI, "", () => json({ data: [] }));
      using books = openBooks(place.gateway.dataDir);

      const failed = await place.gateway.post(path, body);

      expect(failed.status).toBe(502);
      expect(await failed.json()).toMatchObject({
        error: { message: "The upstream's answer has 0 vectors for 2 inputs." },
      });
      expect(await books.whenSettled()).toEqual([]);
      expect(books.spent()).toBe(0);
    },
  );

  test("of a client is in the native style's format", async () => {
    await using place = await openPlace(GEMINI);
    const body = { ...ofText("a"), model: `models/${MODEL}` };

    const refused = await place.gateway.post(`/v1/models/${MODEL}:embedContent`, body);
    const allowed = await place.gateway.post(`/v1beta/models/${MODEL}:embedContent`, body);

    expect([refused.status, allowed.status]).toEqual([400, 200]);
    expect(await refused.json()).toMatchObject({
      error: { status: "INVALID_ARGUMENT", message: expect.stringContaining("'model'") },
    });
  });

  test("is returned for embeddings of a vendor without any, or for text of a vendor with embeddings only", async () => {
    const channel = (name: string, provider: string) =>
      `  - { name: ${name}, provider: ${provider}, base_url: "http://127.0.0.1:9", api_key: k-0123, models: [${name}] }`;
    await using gateway = await openTestGateway({
      yaml: `channels:\n${channel("talker", "anthropic")}\n${channel("embedder", "voyage")}`,
    });

    const vectors = await gateway.post("/v1/embeddings", { model: "talker", input: "a" });
    const text = await gateway.post("/v1/chat/completions", {
      model: "embedder",
      messages: [{ role: "user", content: "a" }],
    });

    expect([vectors.status, text.status]).toEqual([404, 404]);
    expect(await text.text()).toContain("does not generate text");
    expect(await vectors.text()).toContain("does not do embeddings");
  });

  test("is returned for embeddings of a known text model, without an upstream call", async () => {
    await using gateway = await openTestGateway({
      yaml: `channels:
  - { name: talker, provider: openai, base_url: "http://127.0.0.1:9", api_key: k, models: [gpt-4o-mini] }`,
    });

    const answer = await gateway.post("/v1/embeddings", { model: "gpt-4o-mini", input: "a" });

    expect([answer.status, await answer.text()]).toEqual([
      404,
      expect.stringContaining("does not do embeddings"),
    ]);
  });
});

describe("a key", () => {
  test("for text only cannot request native embeddings, and one for embeddings no native text", async () => {
    const keyFor = (family: string) => `only-for-${family}-0123456789abcdef`;
    const keys = ["text", "embeddings"].map(
      (each) => `{ name: ${each}, key: ${keyFor(each)}, endpoints: [${each}] }`,
    );
    await using place = await openPlace(GEMINI, `keys: [${keys.join(", ")}]`);
    const ask = async (verb: string, family: string): Promise<number> => {
      const headers = { authorization: `Bearer ${keyFor(family)}` };
      const body = { ...ofText("a"), contents: [ofText("a").content] };
      return (await place.gateway.post(`/v1/models/${MODEL}:${verb}`, body, headers)).status;
    };

    expect(await ask("embedContent", "text")).toBe(403);
    expect(await ask("embedContent", "embeddings")).toBe(200);
    expect(await ask("generateContent", "embeddings")).toBe(403);
  });

  test("has a token limit that includes embeddings", async () => {
    await using place = await openPlace(
      OPENAI,
      `keys: [{ name: limited, key: ${KEY}, limits: { tpm: 20 } }]`,
    );
    const ask = () =>
      place.gateway.post("/v1/embeddings", { model: MODEL, input: "a b c d e f g h i j k l m" });

    const served = await ask();
    const refused = await ask();

    expect([served.status, refused.status]).toEqual([200, 429]);
    expect(served.headers.get("x-ratelimit-limit-tokens")).toBe("20");
    expect(await refused.json()).toMatchObject({ error: { code: "rate_limit_exceeded" } });
  });
});
