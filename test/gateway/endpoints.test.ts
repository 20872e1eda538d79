import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FAMILIES } from "#core/family.ts";
import { ROUTES } from "#http/registry.ts";
import { asUser, bearer, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import type { TestGateway } from "#test/harness.ts";

const FILE_KEY = "only-for-images-0123456789abcd";

const NATIVE_PREFIXES = ["/v1beta", "/v1"];
const CLOUD_PREFIXES = ["/v1beta1", "/v1", "/v1beta"].flatMap((version) => [
  `${version}/publishers/google`,
  `${version}/projects/:project/locations/:location/publishers/google`,
]);
/** Lists of models, which every key may read. */
const FOR_EVERY_KEY = [
  "/v1/models",
  "/openai/v1/models",
  "/v1/models/:id{.+}",
  "/openai/v1/models/:id{.+}",
  "/v1beta/models",
  "/v1beta/models/:id{.+}",
  ...CLOUD_PREFIXES.flatMap((prefix) => [`${prefix}/models`, `${prefix}/models/:id{.+}`]),
  "/v1/key",
  "/api/v1/key",
  "/api/v1/credits",
  "/v1/dashboard/billing/subscription",
  "/v1/dashboard/billing/usage",
];
/** The family is that of the question, which stands in the body. */
const BY_QUESTION = [...NATIVE_PREFIXES, ...CLOUD_PREFIXES].map(
  (prefix) => `${prefix}/models/:model{.+:predict}`,
);

let opened: TestGateway;
let ada: Ask;
beforeAll(async () => {
  opened = await openWithRoot({
    yaml: `sandbox: auto\nkeys: [{ name: pictures, key: ${FILE_KEY}, endpoints: [images] }]`,
  });
  ada = await asUser(opened.url, "ada");
});
afterAll(() => opened[Symbol.asyncDispose]());

let made = 0;

async function make(fields: object): Promise<{ id: number; key: string }> {
  const { data } = await ada("POST", "/api/token", { name: `made ${made++}`, ...fields });
  return { id: Number(data["id"]), key: textIn(data, "key") };
}

const QUESTION = [{ role: "user", content: "hi" }];

const CALLS = {
  chat: {
    path: "/v1/chat/completions",
    body: { model: "gpt-4o-mini", messages: QUESTION },
    refusal: { error: { type: "invalid_request_error", code: "forbidden" } },
  },
  responses: {
    path: "/v1/responses",
    body: { model: "gpt-4o-mini", input: "hi" },
    refusal: { error: { type: "invalid_request_error", code: "forbidden" } },
  },
  messages: {
    path: "/v1/messages",
    body: { model: "gpt-4o-mini", max_tokens: 9, messages: QUESTION },
    refusal: { type: "error", error: { type: "permission_error" } },
  },
  native: {
    path: "/v1beta/models/gpt-4o-mini:generateContent",
    body: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
    refusal: { error: { code: 403, status: "PERMISSION_DENIED" } },
  },
};

function call(style: keyof typeof CALLS, key: string): Promise<Response> {
  const { path, body } = CALLS[style];
  return opened.post(path, body, bearer(key));
}

test("every route that takes a key has a family, or is listed as open to every key", () => {
  const routes = ROUTES.filter(({ access }) => access === "key");

  const withoutFamily = routes.filter(({ family }) => family === undefined);
  expect(withoutFamily.map(({ path }) => path).toSorted()).toEqual(
    [...FOR_EVERY_KEY, ...BY_QUESTION].toSorted(),
  );
  expect(new Set(routes.map(({ family }) => family)).has("text")).toBe(true);
});

test.each([
  ["pictures", { prompt: "a pier" }, "images"],
  ["vectors", { content: "a pier" }, "embeddings"],
])(
  "a key without access to %s has no access through a prediction either",
  async (_, instance, family) => {
    const other = await make({
      endpoints: [family === "images" ? "embeddings" : "images", "text"],
    });
    const path = "/v1beta/models/any-model:predict";
    const refused = await opened.post(path, { instances: [instance] }, bearer(other.key));

    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain(`may not call ${family} endpoints`);
  },
);

describe.each(["chat", "responses", "messages", "native"] as const)("in the %s style", (style) => {
  test("a key for images only is refused in the style's format, and one for text is not", async () => {
    const images = await make({ endpoints: ["images"] });
    const both = await make({ endpoints: ["images", "text"] });

    const refused = await call(style, images.key);
    const served = await call(style, both.key);

    expect(refused.status).toBe(403);
    const body: unknown = await refused.json();
    expect(body).toMatchObject(CALLS[style].refusal);
    expect(JSON.stringify(body)).toContain(
      "This API key may not call text endpoints; it may call images.",
    );
    expect(served.status).toBe(200);
  });
});

describe("the endpoints of a token", () => {
  test("are all by default, and can be restricted and opened again", async () => {
    const { id, key } = await make({});

    const all = await ada("GET", `/api/token/${id}`);
    const some = await ada("PUT", `/api/token/${id}`, { endpoints: ["rerank", "audio"] });
    const refused = await call("chat", key);
    const again = await ada("PUT", `/api/token/${id}`, { endpoints: null });

    expect(all.data["endpoints"]).toBeNull();
    expect(some.data["endpoints"]).toEqual(["rerank", "audio"]);
    expect(refused.status).toBe(403);
    expect(again.data["endpoints"]).toBeNull();
    expect((await call("chat", key)).status).toBe(200);
  });

  test("do not restrict the list of models", async () => {
    const { key } = await make({ endpoints: ["images"] });

    const list = await fetch(`${opened.url}/v1/models`, { headers: bearer(key) });

    expect(list.status).toBe(200);
  });

  test.each([[[]], [["chat"]], ["text"], [[...FAMILIES, "text"]]])(
    "cannot be %j",
    async (endpoints) => {
      const { status } = await ada("POST", "/api/token", { name: "bad", endpoints });

      expect(status).toBe(400);
    },
  );
});

test("a key of the file is restricted to its endpoints", async () => {
  expect((await call("messages", FILE_KEY)).status).toBe(403);
});
