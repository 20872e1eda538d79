import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { countTexts, countTokens } from "#relay/metering/tokens.ts";
import { asRoot, bearer, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import { openBooks, type Row } from "#test/books.ts";
import { openTestGateway, simulatedChannel, type TestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

const TOKENS = 1_000;

interface SentRequest {
  readonly path: string;
  readonly body: { readonly model: string; readonly [name: string]: unknown };
}

let upstream: Bun.Server<undefined>;
let opened: TestGateway;
let root: Ask;
const asked: SentRequest[] = [];
beforeAll(async () => {
  upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
  const channel = (name: string, more: string, provider?: string): string =>
    simulatedChannel(name, `http://127.0.0.1:${upstream.port}/${name}`, more, provider);
  opened = await openWithRoot({
    yaml: `
channels:
${channel("shared", "models: [ranker, silent, broken]", "openai-compatible")}
${channel("doubling", "models: [doubled]\npriority: 0", "openai-compatible")}
${channel("spare", "models: [doubled]\npriority: 1", "openai-compatible")}
${channel("text", "models: [gpt-4o-mini]")}
${channel("searching", "models: [searcher, uncounted]", "openai-compatible")}
${channel("one", "models: [only]", "tei")}
${channel("counting", "models: [counter]", "cohere")}
${channel("nested", "models: [long]", "dashscope").replace("/openai/v1", "/compatible-mode/v1")}
models:
  ranker: { input: 2, output: 0 }
  silent: { input: 2, output: 0 }
  long: { input: 2, output: 0 }
  searcher: { search: 0.002 }
  uncounted: { search: 0.002 }
`,
  });
  root = await asRoot(opened.url);
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await upstream.stop(true);
});
beforeEach(() => {
  asked.length = 0;
});

/** Documents say themselves how well they answer: "0.7". */
async function answer(request: Request): Promise<Response> {
  const { pathname: path } = new URL(request.url);
  const body = (await request.json()) as SentRequest["body"];
  asked.push({ path, body });
  if (body.model === "broken") {
    return Response.json({ detail: "The query is too odd." }, { status: 422 });
  }
  const inside = (body["input"] ?? body) as Partial<Record<string, readonly string[]>>;
  const documents = inside["texts"] ?? inside["documents"] ?? [];
  const results = documents.map((document, index) => ({
    index: path.startsWith("/doubling") ? 0 : index,
    relevance_score: Number(document),
    document: { text: "not what was asked" },
  }));
  if ("texts" in body) {
    return Response.json(
      results.map((each) => ({ index: each.index, score: each.relevance_score })),
    );
  }
  const usage = USAGE[body.model] ?? { usage: { total_tokens: TOKENS } };
  return Response.json(
    "input" in body ? { output: { results }, ...usage } : { results, model: "inner", ...usage },
  );
}

const USAGE: Readonly<Record<string, object>> = {
  silent: {},
  uncounted: {},
  searcher: { meta: { billed_units: { search_units: 3 } } },
};

const QUESTION = { model: "ranker", query: "which", documents: ["0.2", "0.9", "0.5"] };

interface Ranked {
  readonly index: number;
  readonly relevance_score: number;
  readonly document?: string;
}

interface Ranking {
  readonly status: number;
  readonly body: JsonObject & {
    readonly results: readonly Ranked[];
  };
}

async function rank(
  more: object = {},
  headers: Readonly<Record<string, string>> = {},
  path = "/v1/rerank",
): Promise<Ranking> {
  const response = await opened.post(path, { ...QUESTION, ...more }, headers);
  return { status: response.status, body: (await response.json()) as Ranking["body"] };
}

async function lastCall(): Promise<Row> {
  using books = openBooks(opened.dataDir);
  expect(await books.whenSettled()).toEqual([]);
  return books.calls().at(-1) ?? {};
}

describe("[A2.8] [A4.10] a ranking", () => {
  test.each(["/v1/rerank", "/v2/rerank"])("is answered at %s, the best first", async (path) => {
    const { status, body } = await rank({}, {}, path);

    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^\S+$/),
      model: "ranker",
      results: [
        { index: 1, relevance_score: 0.9 },
        { index: 2, relevance_score: 0.5 },
        { index: 0, relevance_score: 0.2 },
      ],
      usage: { total_tokens: TOKENS },
      meta: {},
    });
  });

  test("has the requested number of documents, with the client's own text", async () => {
    const { body } = await rank({ top_n: 1, return_documents: true });

    expect(body.results).toEqual([{ index: 1, relevance_score: 0.9, document: "0.9" }]);
    expect(asked).toEqual([
      {
        path: "/shared/openai/v1/rerank",
        body: { ...QUESTION, top_n: 1, return_documents: false },
      },
    ]);
  });

  test("is charged by the upstream's token count", async () => {
    await rank();

    const call = await lastCall();
    expect(call).toMatchObject({ model: "ranker", outcome: "completed" });
    // Two dollars per million tokens, in nano-dollars.
    expect(call["cost"]).toBe(TOKENS * 2_000);
  });

  test("is charged by the gateway's count if the upstream reports none", async () => {
    const { body } = await rank({ model: "silent", query: "abc", documents: ["0.1", "0.2"] });

    // The query counts for each document.
    const tokens = 2 * (await countTokens("abc")) + (await countTexts(["0.1", "0.2"]));
    expect(body["usage"]).toEqual({ total_tokens: tokens });
    expect(await lastCall()).toMatchObject({ cost: tokens * 2_000, is_estimated: 1 });
  });

  test("is charged per search if that is the price, by the upstream's count or the expected one", async () => {
    const documents = Array.from({ length: 101 }, () => "0.5");

    await rank({ model: "searcher", documents });
    const said = await lastCall();
    await rank({ model: "uncounted", documents });
    const counted = await lastCall();

    expect(said).toMatchObject({ searches: 3, cost: 3 * 2_000_000 });
    expect(counted).toMatchObject({ searches: 2, cost: 2 * 2_000_000 });
    const { data } = await root("GET", `/api/log/${textIn(said, "id")}`);
    expect(data).toMatchObject({
      usage: { searches: 3, images: 0, media_seconds: 0, grade: null },
      cost_parts: [
        { kind: "input", usd_per_million: "0", cost_usd: "0" },
        { kind: "search", count: 3, usd_each: "0.002", cost_usd: "0.006" },
      ],
    });
  });

  test("of more documents than an upstream accepts is sent in parts, and merged", async () => {
    const documents = Array.from({ length: 501 }, (_, index) => String(index / 1_000));

    const { body } = await rank({ model: "long", documents, top_n: 2 });

    expect(body.results).toEqual([
      { index: 500, relevance_score: 0.5 },
      { index: 499, relevance_score: 0.499 },
    ]);
    expect(body["usage"]).toEqual({ total_tokens: 2 * TOKENS });
    const path = "/nested/api/v1/services/rerank/text-rerank/text-rerank";
    expect(asked.map((each) => each.path)).toEqual([path, path]);
    expect((await lastCall())["cost"]).toBe(2 * TOKENS * 2_000);
  });

  test("on a single-model server is requested in its format without a model, and read from a list", async () => {
    const documents = Array.from({ length: 33 }, (_, index) => String(index / 100));

    const { status, body } = await rank({ model: "only", documents, top_n: 2, truncation: true });

    expect([status, body.results]).toEqual([
      200,
      [
        { index: 32, relevance_score: 0.32 },
        { index: 31, relevance_score: 0.31 },
      ],
    ]);
    const { query } = QUESTION;
    const said = { query, raw_scores: false, return_text: false, truncate: true };
    expect(asked.map((each): object => each.body)).toEqual([
      { ...said, texts: documents.slice(0, 32) },
      { ...said, texts: documents.slice(32) },
    ]);
    const tokens = 33 * (await countTokens(query)) + (await countTexts(documents));
    expect(body["usage"]).toEqual({ total_tokens: tokens });
  });

  test("comes from the next channel if the first ranks a document twice", async () => {
    const { status, body } = await rank({ model: "doubled" });

    expect(status).toBe(200);
    expect(body.results.map(({ index }) => index)).toEqual([1, 2, 0]);
    expect(asked.map(({ path }) => path)).toEqual([
      "/doubling/openai/v1/rerank",
      "/spare/openai/v1/rerank",
    ]);
  });

  test("that is requested twice with one idempotency key is sent and charged once", async () => {
    const headers = { "idempotency-key": "ranked-once" };

    const first = await rank({}, headers);
    const again = await rank({}, headers);

    expect(again).toEqual(first);
    expect(asked.length).toBe(1);
  });
});

describe("a rerank field that an upstream does not support", () => {
  const ask = (more: object, headers: Readonly<Record<string, string>> = {}) =>
    opened.post("/v1/rerank", { ...QUESTION, model: "counter", ...more }, headers);

  test("is reported to the client and in the journal, and the others are kept", async () => {
    const answer = await ask({ max_tokens_per_doc: 9, overlap_tokens: 2, instruct: "facts" });

    expect([answer.status, answer.headers.get("sluice-lossy")]).toEqual([
      200,
      "overlap_tokens, instruct",
    ]);
    expect(asked.map(({ body }) => body)).toEqual([
      { ...QUESTION, model: "counter", max_tokens_per_doc: 9 },
    ]);
    const { data } = await root("GET", `/api/log/${textIn(await lastCall(), "id")}`);
    expect(data).toMatchObject({ not_carried: ["overlap_tokens", "instruct"] });
  });

  test("causes a refusal for strict clients", async () => {
    const answer = await ask({ instruct: "facts" }, { "sluice-strict": "true" });

    expect([answer.status, asked]).toEqual([400, []]);
    expect(await answer.json()).toMatchObject({ error: { param: "instruct" } });
  });

  test("is reported under a name that a header can contain", async () => {
    const odd = { "名前, ok": 1, "line\nbreak": 1, "half \ud83d": 1, ["x".repeat(5_000)]: 1 };
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`field${at}`, 1]));

    const answer = await ask(odd);
    const crowd = await ask(many);

    expect([answer.status, crowd.status]).toEqual([200, 200]);
    expect(answer.headers.get("sluice-lossy")).toBe(
      `%E5%90%8D%E5%89%8D%2C%20ok, line%0Abreak, half%20%EF%BF%BD, ${"x".repeat(200)}`,
    );
    expect(crowd.headers.get("sluice-lossy")?.split(", ")).toHaveLength(100);
  });

  test("is sent unchanged to servers of the format that may know it", async () => {
    const answer = await ask({ model: "ranker", use_activation: false });

    expect(answer.headers.get("sluice-lossy")).toBeNull();
    expect(asked.map(({ body }) => body["use_activation"])).toEqual([false]);
  });
});

describe("a ranking is refused", () => {
  const errorOf = ({ status, body }: Ranking) => ({ status, error: body["error"] });

  test("for an unknown model", async () => {
    expect(errorOf(await rank({ model: "nobody's" }))).toMatchObject({
      status: 404,
      error: { type: "invalid_request_error", code: "model_not_found", param: "model" },
    });
  });

  test("for a model whose vendor has no rankings", async () => {
    expect(errorOf(await rank({ model: "gpt-4o-mini" }))).toMatchObject({
      status: 404,
      error: { code: "model_not_found", message: expect.stringContaining("rerank") },
    });
    expect(asked).toEqual([]);
  });

  test("without a query, and without documents", async () => {
    expect(errorOf(await rank({ query: "" }))).toMatchObject({
      status: 400,
      error: { message: "'query' is empty.", param: "query" },
    });
    expect(errorOf(await rank({ documents: [] }))).toMatchObject({
      status: 400,
      error: { message: "'documents' is empty.", param: "documents" },
    });
    expect(asked).toEqual([]);
  });

  test("with the upstream's message if the upstream refuses it, without cost", async () => {
    expect(errorOf(await rank({ model: "broken" }))).toMatchObject({
      status: 400,
      error: { message: "The query is too odd." },
    });
    expect((await lastCall())["cost"]).toBe(0);
  });

  test("for a key that is restricted to another family", async () => {
    const { data } = await root("POST", "/api/token", { name: "text", endpoints: ["text"] });
    const text = await rank({}, bearer(textIn(data, "key")));
    const { data: own } = await root("POST", "/api/token", { name: "own", endpoints: ["rerank"] });

    expect(errorOf(text)).toMatchObject({ status: 403, error: { code: "forbidden" } });
    expect((await rank({}, bearer(textIn(own, "key")))).status).toBe(200);
  });
});

test("[A2.8] without a configured channel the simulator ranks, and fails on request", async () => {
  await using simulated = await openTestGateway({ yaml: "sandbox: auto" });
  const listed = async () => await (await simulated.get("/v1/models")).text();
  await waitFor(async () => (await listed()).includes("gte-rerank-v2"));
  const ask = (query: string) =>
    simulated.post("/v1/rerank", {
      model: "gte-rerank-v2",
      query,
      documents: ["Athens is in Greece.", "Paris is in France."],
      return_documents: true,
      top_n: 1,
    });

  const ranked = await ask("Which document is about France?");
  const failed = await ask("France [[fault:status code=500]]");

  expect(await ranked.json()).toMatchObject({
    results: [{ index: 1, document: "Paris is in France." }],
  });
  expect(failed.status).toBe(502);
});
