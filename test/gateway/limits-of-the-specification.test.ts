import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { pngUrl } from "@sluice/sandbox/testing/pictures.ts";
import { asRoot, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { answerTokens, openPictureVendor, type PictureVendor } from "#test/picture-vendor.ts";

/** Each row of the specification's table of limits: taken at the bound, refused beyond it. */
const PICTURES = {
  A: "gemini-2.5-flash-image",
  B: "doubao-seedream-4-0-250828",
  B3: "doubao-seedream-3-0-t2i-250415",
  C: "gpt-image-1",
  D: "qwen-image-plus",
  DEdit: "qwen-image-edit-plus",
} as const;

let sandbox: Sandbox;
let drawer: PictureVendor;
let opened: TestGateway;
let root: Ask;
beforeAll(async () => {
  sandbox = await startSandbox();
  drawer = openPictureVendor(answerTokens);
  const channel = (provider: string, address: string, ...models: string[]) =>
    `  - { name: of-${models[0]}, provider: ${provider}, base_url: "${address}", api_key: sk-test, models: [${models.join(", ")}] }`;
  const { A, B, B3, C, D, DEdit } = PICTURES;
  opened = await openWithRoot({
    yaml: [
      "channels:",
      channel("openai", `${sandbox.url}/openai/v1`, "gpt-4o-mini"),
      channel("anthropic", `${sandbox.url}/anthropic/v1`, "claude-sonnet-4-5-20250929"),
      channel("gemini", `${sandbox.url}/gemini/v1beta`, A),
      channel("ark", `${sandbox.url}/ark/api/v3`, B, B3),
      channel("openai", drawer.url, C),
      channel("dashscope", `${sandbox.url}/dashscope/compatible-mode/v1`, D, DEdit),
    ].join("\n"),
    env: { SLUICE_LIMIT_ATTEMPTS: "1" },
  });
  root = await asRoot(opened.url);
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await drawer[Symbol.asyncDispose]();
  await sandbox.stop();
});

interface Place {
  readonly path: string;
  readonly body: JsonObject;
}

const CHAT: Place = {
  path: "/v1/chat/completions",
  body: { model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] },
};
const RESPONSES: Place = {
  path: "/v1/responses",
  body: { model: "gpt-4o-mini", input: "hi" },
};
const MESSAGES: Place = {
  path: "/v1/messages",
  body: {
    model: "claude-sonnet-4-5-20250929",
    max_tokens: 4_096,
    messages: [{ role: "user", content: "hi" }],
  },
};
const picturesOf = (family: keyof typeof PICTURES, more: JsonObject = {}): Place => ({
  path: "/v1/images/generations",
  body: { model: PICTURES[family], prompt: "A fox", ...more },
});

const GIVEN = pngUrl(800, 400);
const given = (count: number) => Array.from({ length: count }, () => GIVEN);
const shown = (count: number, n?: number): JsonObject => ({
  input: {
    messages: [{ role: "user", content: given(count).map((image) => ({ image })) }],
  },
  ...(n !== undefined && { parameters: { n } }),
});

interface Limit {
  readonly what: string;
  readonly place: Place;
  /** The field as the refusal names it, and the bound in its words. */
  readonly field: string;
  readonly bound: string;
  readonly taken: readonly JsonObject[];
  readonly refused: readonly JsonObject[];
}

function range(
  what: string,
  place: Place,
  field: string,
  [min, max]: readonly [number, number],
  beyond: readonly number[],
): Limit {
  const of = (value: number): JsonObject => ({ [field]: value });
  return {
    what,
    place,
    field,
    bound: `from ${min} to ${max}`,
    taken: [min, max].map(of),
    refused: beyond.map(of),
  };
}

const thinking = (budget: number): JsonObject => ({
  thinking: { type: "enabled", budget_tokens: budget },
});
const set = (max: number): JsonObject => ({
  sequential_image_generation: "auto",
  sequential_image_generation_options: { max_images: max },
});

const LIMITS: readonly Limit[] = [
  range("temperature of the chat style", CHAT, "temperature", [0, 2], [-0.1, 2.1]),
  range("temperature of the responses style", RESPONSES, "temperature", [0, 2], [-0.1, 2.1]),
  range("temperature of the messages style", MESSAGES, "temperature", [0, 1], [-0.1, 1.1]),
  range("top_p of the chat style", CHAT, "top_p", [0, 1], [-0.1, 1.1]),
  range("top_p of the responses style", RESPONSES, "top_p", [0, 1], [-0.1, 1.1]),
  range("top_p of the messages style", MESSAGES, "top_p", [0, 1], [-0.1, 1.1]),
  range("top_p of image family A", picturesOf("A"), "top_p", [0, 1], [-0.1, 1.1]),
  {
    what: "max_tokens of the messages style",
    place: MESSAGES,
    field: "max_tokens",
    bound: "from 1 to",
    taken: [{ max_tokens: 1 }],
    // A vendor of the style takes 0, which only fills its cache: decision 13.
    refused: [{ max_tokens: -1 }, { max_tokens: 0.5 }],
  },
  {
    what: "thinking.budget_tokens",
    place: MESSAGES,
    field: "thinking.budget_tokens",
    bound: "from 1024 to",
    taken: [thinking(1_024)],
    refused: [thinking(1_023), thinking(0)],
  },
  range("n of image family C", picturesOf("C"), "n", [1, 10], [0, 11]),
  {
    what: "n of image family D's edit-plus series",
    place: picturesOf("DEdit"),
    field: "n",
    bound: "1 to 6",
    taken: [shown(1, 1), shown(1, 6)],
    refused: [shown(1, 7)],
  },
  {
    what: "pictures given to image family A",
    place: picturesOf("A"),
    field: "image",
    bound: "2 to 5 times",
    taken: [{ images: given(2) }, { images: given(5) }],
    refused: [{ images: given(6) }],
  },
  {
    what: "pictures given to image family B",
    place: picturesOf("B"),
    field: "image",
    bound: "0 to 5",
    taken: [{ image: given(2) }, { image: given(5) }],
    refused: [{ image: given(6) }],
  },
  {
    what: "pictures given to image family C",
    place: picturesOf("C"),
    field: "image",
    bound: "10 at the most",
    taken: [{ images: given(1) }, { images: given(10) }],
    refused: [{ images: given(11) }],
  },
  {
    what: "pictures given to image family D",
    place: picturesOf("DEdit"),
    field: "image",
    bound: "1 to 3",
    taken: [shown(1), shown(3)],
    refused: [{}, shown(4)],
  },
  {
    what: "max_images of image family B",
    place: picturesOf("B"),
    field: "sequential_image_generation_options.max_images",
    bound: "from 1 to 4",
    taken: [set(1), set(4)],
    refused: [set(0), set(5)],
  },
  range(
    "seed of image family B",
    picturesOf("B3"),
    "seed",
    [0, 2_147_483_647],
    [-1, 2_147_483_648],
  ),
  {
    what: "seed of image family D",
    place: picturesOf("D"),
    field: "parameters.seed",
    bound: "from 0 to 2147483647",
    taken: [{ parameters: { seed: 0 } }, { parameters: { seed: 2_147_483_647 } }],
    refused: [{ parameters: { seed: -1 } }, { parameters: { seed: 2_147_483_648 } }],
  },
];

async function ask({ path, body }: Place, more: JsonObject): Promise<[number, string]> {
  const response = await opened.post(path, { ...body, ...more });
  const answer = (await response.json()) as JsonObject;
  return [response.status, textOf(memberOf(answer["error"], "message")) ?? ""];
}

describe.each(LIMITS)("[A8] $what", ({ place, taken, refused, field, bound }) => {
  test("is accepted at its bounds", async () => {
    for (const more of taken) expect([more, await ask(place, more)]).toEqual([more, [200, ""]]);
  });

  test("is refused beyond them, with the field and the bound", async () => {
    for (const more of refused) {
      const [status, message] = await ask(place, more);

      expect([more, status]).toEqual([more, 400]);
      expect(message).toContain(`'${field}'`);
      expect(message).toContain(bound);
    }
  });
});

describe("[A8] a list of tokens to delete", () => {
  test("may have one entry, but not none", async () => {
    const { data } = await root("POST", "/api/token", { name: "short-lived" });

    const none = await root("POST", "/api/token/batch", { ids: [] });
    const one = await root("POST", "/api/token/batch", { ids: [data["id"]] });

    expect([none.status, none.body.message]).toEqual([400, expect.stringContaining("'ids'")]);
    expect([one.status, one.body.success]).toEqual([200, true]);
    expect(textIn(data, "key")).toStartWith("sk-");
  });
});

test("[A8] a throttled call gets 429, at every endpoint", async () => {
  const key = "throttled-0123456789-abcdefghij";
  await using throttled = await openTestGateway({
    yaml: `
channels:
  - { name: one, provider: openai-compatible, base_url: "${sandbox.url}/openai/v1", api_key: sk-test, models: [gpt-4o-mini] }
keys: [{ name: slow, key: ${key}, limits: { rpm: 1 } }]`,
  });
  const headers = { authorization: `Bearer ${key}` };
  const first = await throttled.post(CHAT.path, CHAT.body, headers);
  const asked: readonly Place[] = [
    CHAT,
    { path: "/v1/embeddings", body: { input: "a" } },
    { path: "/v1/rerank", body: { query: "a", documents: ["b"] } },
    { path: "/v2/embed", body: { texts: ["a"] } },
    picturesOf("C"),
  ];

  expect(first.status).toBe(200);
  for (const { path, body } of asked) {
    const response = await throttled.post(path, { ...body, model: "gpt-4o-mini" }, headers);
    expect([path, response.status]).toEqual([path, 429]);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  }
});
