import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { KEY, openTestGateway, type TestGateway } from "#test/harness.ts";

const OTHER_KEY = "only-some-models-0123456789abc";
const YAML = `
channels:
  - { name: a, provider: openai, api_key: sk-upstream, models: [gpt-4o-mini, { name: fast, upstream: gpt-4o }] }
  - { name: b, provider: openrouter, api_key: sk-upstream, models: [meta-llama/llama-3.3-70b-instruct] }
keys:
  - { name: some, key: ${OTHER_KEY}, models: ["gpt-*"] }
`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({ yaml: YAML });
});
afterAll(() => gateway[Symbol.asyncDispose]());

const list = (headers: Record<string, string>, path = "/v1/models"): Promise<Response> =>
  fetch(gateway.url + path, { headers });
const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

describe("the list of models", () => {
  test("[A4.2-a] is in the chat style by default", async () => {
    const body = await (await list(bearer(KEY))).json();

    expect(body).toMatchObject({
      object: "list",
      data: ["fast", "gpt-4o-mini", "meta-llama/llama-3.3-70b-instruct"].map((id) => ({
        id,
        object: "model",
        created: expect.any(Number),
        owned_by: expect.any(String),
      })),
    });
  });

  test("[A4.2-a] shows only the models that the key may use", async () => {
    const body = (await (await list(bearer(OTHER_KEY))).json()) as { data: { id: string }[] };

    expect(body.data.map((each) => each.id)).toEqual(["gpt-4o-mini"]);
  });

  test("[A4.2-b] is in the messages style for its header, with any credential", async () => {
    for (const headers of [
      { "x-api-key": KEY },
      { ...bearer(KEY), "anthropic-version": "2023-06-01" },
    ]) {
      const body = await (await list(headers, "/v1/models?limit=2")).json();

      expect(body).toMatchObject({
        data: [
          {
            type: "model",
            id: "fast",
            display_name: "fast",
            created_at: expect.stringMatching(/^\d{4}-.*Z$/),
          },
          { id: "gpt-4o-mini" },
        ],
        has_more: true,
        first_id: "fast",
        last_id: "gpt-4o-mini",
      });
    }
  });

  test("[A4.2-b] continues after the last model of a page", async () => {
    const page = await list({ "x-api-key": KEY }, "/v1/models?limit=2&after_id=gpt-4o-mini");

    expect(await page.json()).toMatchObject({
      data: [{ id: "meta-llama/llama-3.3-70b-instruct" }],
      has_more: false,
    });
  });

  test("[A4.2-c] is in the native style for a vendor's key header and for a key in the query", async () => {
    const answers = [
      await list({ "x-goog-api-key": KEY }),
      await list({}, `/v1/models?key=${KEY}`),
    ];

    for (const answer of answers) {
      expect(await answer.json()).toMatchObject({
        models: [
          {
            name: "models/fast",
            supportedGenerationMethods: expect.arrayContaining(["generateContent"]),
          },
          { name: "models/gpt-4o-mini", inputTokenLimit: expect.any(Number) },
          { name: "models/meta-llama/llama-3.3-70b-instruct" },
        ],
      });
    }
  });

  test("[A4.2-c] pages of the native style continue by token", async () => {
    const first = (await (
      await list({ "x-goog-api-key": KEY }, "/v1/models?pageSize=2")
    ).json()) as {
      nextPageToken: string;
    };
    const rest = await list(
      { "x-goog-api-key": KEY },
      `/v1/models?pageSize=2&pageToken=${first.nextPageToken}`,
    );

    expect(await rest.json()).toEqual({
      models: [expect.objectContaining({ name: expect.stringContaining("llama") })],
    });
  });
});

describe("an invalid key", () => {
  const bad: [string, Record<string, string>][] = [
    ["none at all", {}],
    ["an unknown one", bearer("sk-nobody-knows-this-key-at-all-00000000")],
    ["one with a typo in it", bearer(`${KEY}x`)],
    ["another scheme", { authorization: `Basic ${KEY}` }],
    ["two that differ", { ...bearer(KEY), "x-other-api-key": "another-key-0123456789abcdef" }],
    ["an empty one", bearer("")],
  ];
  test.each(bad)("[A4.2-d] [A7] %s: 401 in the chat style", async (_what, headers) => {
    const answer = await list({ ...headers, "anthropic-version": "" });
    const chat = await list(headers);

    expect(chat.status).toBe(401);
    if (!("x-other-api-key" in headers)) {
      expect(await chat.json()).toEqual({
        error: {
          message: expect.any(String),
          type: "invalid_request_error",
          param: null,
          code: "invalid_api_key",
        },
      });
    }
    expect(answer.status).toBe(401);
    expect(chat.headers.get("x-request-id")).toMatch(/^[0-9A-Z]{26}$/);
  });

  test("[A4.2-d] [A7] 401 in the messages style", async () => {
    const answer = await list({ "x-api-key": "nobody-knows-this-key-0123456789" });

    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({
      type: "error",
      error: {
        type: "authentication_error",
        message: "Incorrect API key provided: this gateway does not know it.",
      },
    });
  });

  test("[A4.2-d] [A7] 401 in the native style", async () => {
    const answer = await list({ "x-goog-api-key": "nobody-knows-this-key-0123456789" });

    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({
      error: {
        code: 401,
        message: "Incorrect API key provided: this gateway does not know it.",
        status: "UNAUTHENTICATED",
      },
    });
  });

  test("is never repeated in an error", async () => {
    const answer = await list(bearer("sk-secret-that-must-not-be-shown-anywhere"));

    expect(await answer.text()).not.toContain("must-not-be-shown");
  });
});

describe("one model", () => {
  test("[A5-1] is described to keys that may use it", async () => {
    const answer = await list(bearer(KEY), "/v1/models/meta-llama/llama-3.3-70b-instruct");

    expect(await answer.json()).toMatchObject({
      id: "meta-llama/llama-3.3-70b-instruct",
      object: "model",
    });
  });

  test("[A7] that the key may not use gets the same error as an unknown one", async () => {
    const hidden = await list(bearer(OTHER_KEY), "/v1/models/fast");
    const missing = await list(bearer(OTHER_KEY), "/v1/models/slow");

    expect(hidden.status).toBe(404);
    expect(await hidden.text()).toBe((await missing.text()).replace("slow", "fast"));
  });
});

describe("other paths", () => {
  test("[A5-1] every route that needs a key refuses a request without one", async () => {
    const document = (await (await list({}, "/openapi.json")).json()) as {
      paths: Record<string, Record<string, { security: unknown[] }>>;
    };
    const guarded = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation.security.length > 0)
        .filter(() => path !== "/metrics")
        .map(([method]) => ({
          method: method.toUpperCase(),
          path: path.replaceAll(/\{\w+\}/g, "x"),
        })),
    );

    expect(guarded.length).toBeGreaterThan(2);
    for (const { method, path } of guarded) {
      const answer = await fetch(gateway.url + path, { method });
      expect({ path, status: answer.status }).toEqual({ path, status: 401 });
    }
  });

  test("that resemble routes are not found", async () => {
    const paths = [
      "//v1/models",
      "/v1//models",
      "/v1/models/../../metrics/x",
      "/V1/models",
      "/v1/models%2f",
      "/v1/chat%2fcompletions",
      "/v1/./x",
      "/v1/models;x",
    ];
    for (const path of paths) {
      const answer = await list({}, path);
      expect([401, 404]).toContain(answer.status);
    }
  });

  test("with another method get 405", async () => {
    expect((await list(bearer(KEY), "/v1/chat/completions")).status).toBe(405);
  });

  test("the API document names every request field of chat completions", async () => {
    const document = JSON.stringify(await (await list({}, "/openapi.json")).json());

    for (const field of ["messages", "temperature", "response_format", "web_search_options"]) {
      expect(document).toContain(`"${field}"`);
    }
  });

  test("health and readiness answer without a key, and metrics are Prometheus text", async () => {
    expect((await list({}, "/livez")).status).toBe(200);
    expect((await list({}, "/readyz")).status).toBe(200);
    expect(await (await list({}, "/metrics")).text()).toContain(
      "# TYPE sluice_calls_total counter",
    );
  });
});
