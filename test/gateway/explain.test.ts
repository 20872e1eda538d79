import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openVendor, json as vendorJson } from "#test/adapter/vendor.ts";
import { openBooks, type Books } from "#test/books.ts";
import {
  openSimulated,
  openTestGateway,
  simulatedChannel,
  type TestGateway,
} from "#test/harness.ts";
import { channelOf, UPSTREAMS } from "#test/matrix/upstreams.ts";
import { waitFor } from "#test/wait.ts";

const UPSTREAM_SECRET = "upstream-secret-of-the-operator";
const MODEL = "gpt-4o-mini";

interface Channel {
  name: string;
  model: string;
  passed_over: string | null;
  refused: Refused | null;
  price: Record<string, unknown> | null;
  way?: string;
  style?: string | null;
  path?: string | null;
  lost?: string[];
}

interface Refused {
  status: number;
  code: string;
  message: string;
  param?: string;
}

interface Explanation {
  style: string;
  stream: boolean;
  model: { name: string; base?: string; steering?: Record<string, unknown> };
  refused: Refused | null;
  channels: Channel[];
  request: { channel: string; body: Record<string, unknown> } | null;
  estimate: { input_tokens: number; output_tokens: number; usd: number } | null;
  limits: Record<string, unknown> & { key: Record<string, unknown> };
  links_not_followed: string[];
  notes: string[];
}

interface RequestSpec {
  readonly path: string;
  readonly body: object;
}

async function explain(
  { post }: TestGateway,
  asked: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Explanation> {
  const answer = await post("/api/explain", asked, headers);
  const text = await answer.text();
  expect({ status: answer.status, text }).toMatchObject({ status: 200 });
  expect(text).not.toContain("secret");
  return (JSON.parse(text) as { data: Explanation }).data;
}

const WEATHER = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

/** With a tool and something that not every style can say, so that there is much to convert. */
const STYLES: readonly (readonly [string, (model: string, stream: boolean) => RequestSpec])[] = [
  [
    "chat",
    (model, stream) => ({
      path: "/v1/chat/completions",
      body: {
        model,
        stream,
        seed: 7,
        logit_bias: { "50": 1 },
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Hello." },
        ],
        tools: [{ type: "function", function: { name: "weather", parameters: WEATHER } }],
      },
    }),
  ],
  [
    "responses",
    (model, stream) => ({
      path: "/v1/responses",
      body: {
        model,
        stream,
        instructions: "Be brief.",
        input: "Hello.",
        tools: [{ type: "function", name: "weather", parameters: WEATHER, strict: false }],
      },
    }),
  ],
  [
    "messages",
    (model, stream) => ({
      path: "/v1/messages",
      body: {
        model,
        stream,
        max_tokens: 200,
        top_k: 5,
        system: "Be brief.",
        messages: [{ role: "user", content: "Hello." }],
        tools: [{ name: "weather", input_schema: WEATHER }],
      },
    }),
  ],
  [
    "gemini",
    (model, stream) => ({
      path: `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
      body: {
        systemInstruction: { parts: [{ text: "Be brief." }] },
        contents: [{ role: "user", parts: [{ text: "Hello." }] }],
        generationConfig: { topK: 5 },
        tools: [{ functionDeclarations: [{ name: "weather", parameters: WEATHER }] }],
      },
    }),
  ],
];

describe.each(UPSTREAMS.map((upstream) => [upstream.id, upstream] as const))(
  "over an upstream of the style %s",
  (_id, upstream) => {
    let sandbox: Sandbox;
    let gateway: TestGateway;
    let books: Books;
    beforeAll(async () => {
      sandbox = await startSandbox();
      gateway = await openTestGateway({ yaml: channelOf(upstream, sandbox.url) });
      books = openBooks(gateway.dataDir);
    });
    afterAll(async () => {
      books.close();
      await gateway[Symbol.asyncDispose]();
      await sandbox.stop();
    });

    test.each(
      STYLES.flatMap(([id, ask]) => [false, true].map((stream) => [id, stream, ask] as const)),
    )(
      "the explanation of a %s request equals the actual call (streamed: %p)",
      async (style, stream, ask) => {
        const { path, body } = ask(upstream.model, stream);
        await books.whenSettled();
        const before = { books: books.dumpOfCalls(), requests: sandbox.requests.length };

        const explained = await explain(gateway, { path, body });

        expect({ books: books.dumpOfCalls(), requests: sandbox.requests.length }).toEqual(before);
        const answer = await gateway.post(path, body);
        await answer.text();
        const sent = sandbox.requests.at(-1);
        const [channel] = explained.channels;
        expect(explained).toMatchObject({ style, stream, refused: null });
        expect(explained.request).toEqual({ channel: "sim", body: sent?.body as never });
        expect(`${upstream.path}${channel?.path?.split("?")[0]}`).toBe(sent?.path ?? "");
        expect((channel?.lost ?? []).join(", ")).toBe(answer.headers.get("sluice-lossy") ?? "");
        expect(channel).toMatchObject({
          name: "sim",
          model: upstream.model,
          passed_over: null,
          style: upstream.id,
          way: upstream.id === style ? "passed_through" : "translated",
        });
        // What a stream holds before it begins is what it was estimated at.
        await books.whenSettled();
        const held = books.entries().filter(({ kind }) => kind === "hold");
        if (stream)
          expect(Number(held.at(-1)?.["held_delta"]) / 1e9).toBe(explained.estimate?.usd ?? -1);
      },
    );
  },
);

describe("an explanation", () => {
  let opened: Awaited<ReturnType<typeof openSimulated>>;
  beforeAll(async () => {
    opened = await openSimulated({
      channel: "models: [gpt-4o-mini, gpt-5, { name: fast, upstream: gpt-4.1-nano }]",
      yaml: `keys:
  - { name: narrow, key: narrow-key-0123456789abcdefgh, models: ["gpt-4o*"], quota: 0.5, expires_at: "2090-01-01" }
  - { name: poor, key: poor-key-0123456789abcdefghij, quota: 0.000000001 }`,
    });
  });
  afterAll(async () => {
    await opened[Symbol.asyncDispose]();
  });

  const ask = (model: string, more: object = {}) => ({
    path: "/v1/chat/completions",
    body: { model, messages: [{ role: "user", content: "Hello." }], ...more },
  });
  const NARROW = { authorization: "Bearer narrow-key-0123456789abcdefgh" };
  const POOR = { authorization: "Bearer poor-key-0123456789abcdefghij" };

  test("may be requested by style, and without the client's prefix", async () => {
    const { body } = ask(MODEL);
    const byPath = await explain(opened, { path: "/v1/chat/completions", body });

    expect(await explain(opened, { style: "chat", method: "POST", body })).toEqual(byPath);
    expect(await explain(opened, { path: "/openai/v1/chat/completions", body })).toEqual(byPath);
  });

  test("names the model of an alias, its price and the source of the price", async () => {
    const { channels, estimate } = await explain(opened, ask("fast", { max_tokens: 100 }));

    expect(channels).toMatchObject([
      {
        model: "gpt-4.1-nano",
        price: {
          input: 0.1,
          output: 0.4,
          source: expect.stringContaining("http"),
          date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        },
      },
    ]);
    expect(estimate?.output_tokens).toBe(100);
    const { input_tokens: input = 0, usd } = estimate ?? {};
    expect(usd).toBeCloseTo((input * 0.1 + 100 * 0.4) / 1e6, 8);
  });

  test("shows the effect of a model name's suffix", async () => {
    const { model, request } = await explain(opened, ask("gpt-5-high"));

    expect(model).toEqual({
      name: "gpt-5-high",
      base: "gpt-5",
      steering: { effort: "high", visible: true },
    });
    expect(request?.body).toMatchObject({ model: "gpt-5" });
    expect(JSON.stringify(request?.body)).toContain('"high"');
  });

  test("reveals nothing about models that the key may not use", async () => {
    const hidden = await explain(opened, ask("gpt-5"), NARROW);
    const missing = await explain(opened, ask("gpt-0"), NARROW);

    expect(hidden).toMatchObject({
      refused: { status: 404, code: "model_not_found" },
      channels: [],
      request: null,
      estimate: null,
    });
    expect(JSON.stringify(hidden).replaceAll("gpt-5", "gpt-0")).toBe(JSON.stringify(missing));
  });

  test("shows the limits of the asking key only", async () => {
    const { limits } = await explain(opened, ask(MODEL), NARROW);
    const unbounded = await explain(opened, ask(MODEL));

    expect(limits).toMatchObject({ messages: 5_000, context_tokens: 128_000 });
    expect(limits.key).toEqual({
      models: ["gpt-4o*"],
      expires_at: "2090-01-01T00:00:00.000Z",
      quota_left_usd: 0.5,
    });
    expect(unbounded.limits.key).toEqual({ models: ["*"] });
  });

  test("reports an insufficient quota, and the request that would have been sent", async () => {
    const { refused, request, estimate } = await explain(opened, ask(MODEL), POOR);
    const { path, body } = ask(MODEL);

    expect(refused).toMatchObject({ status: 402, code: "out_of_quota" });
    expect(request?.channel).toBe("sim");
    expect(estimate?.usd).toBeGreaterThan(0);
    expect((await opened.post(path, body, POOR)).status).toBe(402);
  });

  test.each<[string, object, object]>([
    [
      "has a mistake",
      { path: "/v1/chat/completions", body: { model: MODEL } },
      { status: 400, code: "invalid_request", param: "messages" },
    ],
    [
      "cannot be carried",
      {
        path: "/v1/messages",
        body: {
          model: MODEL,
          max_tokens: 9,
          messages: [{ role: "user", content: "hi" }],
          container: "container_1",
        },
      },
      { status: 400, code: "not_carried", param: "container" },
    ],
    [
      "continues a missing response",
      {
        path: "/v1/responses",
        body: { model: MODEL, input: "hi", previous_response_id: "resp_0" },
      },
      { status: 404, param: "previous_response_id" },
    ],
  ])("of a request that %s has the error of the call", async (_what, asked, refusal) => {
    const { path, body } = asked as RequestSpec;
    const { refused } = await explain(opened, asked);
    const answer = await opened.post(path, body);

    expect(refused).toMatchObject(refusal);
    expect(answer.status).toBe(refused?.status ?? 0);
    expect(await answer.text()).toContain(JSON.stringify(refused?.message).slice(1, -1));
  });

  test("is strict if its client is strict", async () => {
    const asked = {
      path: "/v1/messages",
      body: {
        model: MODEL,
        max_tokens: 9,
        top_k: 5,
        messages: [{ role: "user", content: "hi" }],
      },
    };

    expect((await explain(opened, asked)).channels[0]?.lost).toContain("top_k");
    expect((await explain(opened, asked, { "sluice-strict": "true" })).refused).toMatchObject({
      code: "not_carried",
      message: expect.stringContaining("top_k"),
    });
  });

  test("continues a stored response like a call", async () => {
    const first = await opened.post("/v1/responses", { model: MODEL, input: "I am Ada." });
    const { id } = (await first.json()) as { id: string };

    const { request } = await explain(opened, {
      path: "/v1/responses",
      body: { model: MODEL, input: "Who am I?", previous_response_id: id },
    });

    expect(JSON.stringify(request?.body)).toContain("I am Ada.");
    expect(JSON.stringify(request?.body)).toContain("Who am I?");
  });

  test("shows unknown fields as the client wrote them", async () => {
    const { body } = ask(MODEL, { metadata: { "x-π": "Grüße 👋", a: "1" } });
    const { request } = await explain(opened, { body, path: "/v1/chat/completions" });

    expect(request?.body).toEqual({ ...body, model: MODEL });
  });

  test.each<[string, object, string]>([
    ["no path", { body: {} }, "'path' or 'style' is required"],
    [
      "a path that generates no text",
      { path: "/v1/models", body: {} },
      "No text endpoint has this path",
    ],
    [
      "a verb that generates no text",
      { path: "/v1beta/models/m:countTokens", body: {} },
      "No text endpoint has this path",
    ],
    ["an unknown style", { style: "telex", body: {} }, "'style' must be one of"],
    ["both", { path: "/v1/messages", style: "messages", body: {} }, "exclude each other"],
    ["no body", { style: "chat" }, "'body' must be the request"],
    ["a body that is no object", { style: "chat", body: [1] }, "'body' must be the request"],
    ["another method", { style: "chat", method: "GET", body: {} }, "by POST requests"],
    ["odd types", { style: 7, path: null, method: [], body: null }, "by POST requests"],
  ])("is refused with %s", async (_what, asked, message) => {
    const answer = await opened.post("/api/explain", asked);

    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({
      success: false,
      message: expect.stringContaining(message),
    });
  });

  test("requires a key", async () => {
    const answer = await fetch(`${opened.url}/api/explain`, { method: "POST", body: "{}" });

    expect(answer.status).toBe(401);
  });
});

test("channels are in the order of attempts, and skipped ones have a reason", async () => {
  await using sandbox = await startedSandbox();
  const at = (name: string, priority: number, extra = ""): string =>
    simulatedChannel(name, sandbox.url, `models: [${MODEL}]\npriority: ${priority}\n${extra}`);
  await using gateway = await openTestGateway({
    yaml: `channels:\n${[
      at("third", 3),
      at("first", 1),
      at("second", 2),
      at("small", 0, "max_concurrent: 1"),
      at("broken", 0),
    ].join("\n")}`,
    env: { SLUICE_LIMIT_ATTEMPTS: "1" },
  });
  const ask = (content: string) => ({ model: MODEL, messages: [{ role: "user", content }] });
  const asked = { path: "/v1/chat/completions", body: ask("Hello.") };
  const reasons = async (): Promise<Record<string, string | null>> => {
    const { channels } = await explain(gateway, asked);
    return Object.fromEntries(channels.map((each) => [each.name, each.passed_over]));
  };
  const names = async (): Promise<string[]> =>
    (await explain(gateway, asked)).channels.map(({ name }) => name);
  expect(Object.values(await reasons())).toEqual([null, null, null, null, null]);
  expect((await names()).slice(2)).toEqual(["first", "second", "third"]);

  const { health, channels } = gateway.gateway;
  const broken = channels.find(({ name }) => name === "broken");
  const small = channels.find(({ name }) => name === "small");
  const third = channels.find(({ name }) => name === "third");
  if (broken === undefined || small === undefined || third === undefined) throw new Error("Lost.");
  for (let i = 0; i < 5; i++) {
    health
      .enter({ channel: broken, upstreamModel: MODEL })
      .leave(new GatewayError("upstream_failed", "It failed."));
  }
  const visit = health.enter({ channel: small, upstreamModel: MODEL });
  const [secret] = third.credentials;
  if (secret === undefined) throw new Error("Lost.");
  health.cool(
    { channel: third, upstreamModel: MODEL },
    secret,
    new GatewayError("upstream_auth", "It is refused."),
    { id: 1, userId: 1 },
  );

  const order = await names();
  expect([...order.slice(0, 2), order.at(-1)]).toEqual(["first", "second", "third"]);
  expect(await reasons()).toEqual({
    first: null,
    second: null,
    broken: "resting",
    small: "full",
    third: "cooling",
  });
  const { channels: shown, request, notes } = await explain(gateway, asked);
  expect(request?.channel).toBe("first");
  // One call would get no further than its tries.
  expect(shown.map(({ way: transport }) => transport !== undefined)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
  expect(notes).toEqual([expect.stringContaining("order")]);
  // A channel that is explained is not thereby tried.
  expect(health.inFlight(small)).toBe(1);
  visit.leave();
});

test("if no channel is available, the explanation has the error of the call", async () => {
  await using sandbox = await startedSandbox();
  await using gateway = await openTestGateway({
    yaml: `pricing: { unpriced: refuse }
channels:\n${simulatedChannel("sim", sandbox.url, "models: [no-price]\nmax_concurrent: 1")}`,
  });
  const asked = {
    path: "/v1/chat/completions",
    body: { model: "no-price", messages: [{ role: "user", content: "Hello." }] },
  };

  const { refused, channels, request } = await explain(gateway, asked);
  const answer = await gateway.post(asked.path, asked.body);

  expect(refused).toMatchObject({ status: answer.status, code: "forbidden" });
  expect(await answer.text()).toContain(refused?.message ?? "?");
  expect(channels).toMatchObject([{ name: "sim", passed_over: "unpriced", price: null }]);
  expect(request).toBeNull();
});

test("links are listed and not followed", async () => {
  await using sandbox = await startedSandbox();
  let asked = 0;
  const pictures = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(`${asked++}`),
  });
  const gemini = UPSTREAMS.find(({ id }) => id === "gemini");
  if (gemini === undefined) throw new Error("There is no such upstream.");
  await using gateway = await openTestGateway({
    yaml: channelOf(gemini, sandbox.url),
    env: { SLUICE_LINKS_ALLOW: "127.0.0.1", SLUICE_LINKS_PORTS: `${pictures.port}` },
  });
  const url = `http://127.0.0.1:${pictures.port}/picture.png`;
  const content = [
    { type: "text", text: "Look." },
    { type: "image_url", image_url: { url } },
  ];

  const explained = await explain(gateway, {
    path: "/v1/chat/completions",
    body: { model: gemini.model, messages: [{ role: "user", content }] },
  });
  await pictures.stop(true);

  expect(asked).toBe(0);
  expect(explained.links_not_followed).toEqual([url]);
  expect(explained.notes).toEqual([expect.stringContaining("not followed")]);
  expect(explained.refused).toBeNull();
  expect(explained.request?.body).toMatchObject({ contents: [{ role: "user" }] });
});

test.each([false, true])(
  "an adapter's request is captured before it is sent (streamed: %p)",
  async (stream) => {
    await using vendor = openVendor(() => vendorJson({ message: "no" }, 400));
    await using gateway = await openTestGateway({
      yaml: `channels:
  - name: cohere
    provider: ai-sdk
    base_url: ${vendor.url}/v2
    api_key: co-${UPSTREAM_SECRET}
    options: { package: "@ai-sdk/cohere" }
    models: [command-a]`,
    });
    const body = { model: "command-a", stream, messages: [{ role: "user", content: "Hello." }] };

    const explained = await explain(gateway, { path: "/v1/chat/completions", body });
    expect(vendor.seen.length).toBe(0);
    await gateway.post("/v1/chat/completions", body);
    await waitFor(() => vendor.seen.length > 0);

    expect(explained.channels).toMatchObject([{ name: "cohere", way: "adapted", refused: null }]);
    expect(explained.request?.body).toEqual(vendor.last.body as never);
  },
);

async function startedSandbox(): Promise<Sandbox & AsyncDisposable> {
  const sandbox = await startSandbox();
  return Object.assign(sandbox, { [Symbol.asyncDispose]: () => sandbox.stop() });
}
