import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { pino } from "pino";
import { asRoot, asUser, bearer, ROOT, textIn, type Ask } from "#test/accounts.ts";
import { openVendor, type Vendor } from "#test/adapter/vendor.ts";
import { systemClock, type Clock } from "#lib/clock.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

/** One of each kind that the catalogue knows nothing of, and what its vendor answers. */
const KINDS = {
  chat: {
    path: "/v1/chat/completions",
    body: { model: "in-house", messages: [{ role: "user", content: "hi" }] },
    answer: {
      id: "1",
      object: "chat.completion",
      created: 1,
      model: "in-house",
      choices: [
        { index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    },
  },
  embedding: {
    path: "/v1/embeddings",
    body: { model: "embed-99", input: "hi" },
    answer: {
      object: "list",
      model: "embed-99",
      data: [{ object: "embedding", index: 0, embedding: [0.5, 0.5] }],
      usage: { prompt_tokens: 1, total_tokens: 1 },
    },
  },
  image: {
    path: "/openai/v1/images/generations",
    body: { model: "gpt-image-99", prompt: "a cat" },
    answer: {
      created: 1,
      data: [{ b64_json: Buffer.from("picture").toString("base64") }],
    },
  },
  video: {
    path: "/v1/videos",
    body: { model: "sora-99", prompt: "a cat" },
    answer: { id: "video_1", object: "video", status: "queued", model: "sora-99", progress: 0 },
  },
  moderation: {
    path: "/v1/moderations",
    body: { model: "moderator-99", input: "hi" },
    answer: {
      id: "1",
      model: "moderator-99",
      results: [{ flagged: false, categories: {}, category_scores: {} }],
    },
  },
} as const;
type Kind = keyof typeof KINDS;
const ALL = Object.keys(KINDS) as Kind[];

/** The video, once it is made. */
const MADE = { ...KINDS.video.answer, status: "completed", progress: 100, seconds: "4" };

function openUnpricedVendor(): Vendor {
  let videos = 0;
  return openVendor(({ method, path, body }) => {
    const [, id] = /\/videos\/([^/]+)$/.exec(path) ?? [];
    if (method === "GET" && id !== undefined) return Response.json({ ...MADE, id });
    if (body["stream"] === true) return streamed();
    const found = ALL.find((kind) => path.endsWith(KINDS[kind].path.replace(/^.*v1/, "")));
    if (found === "video") return Response.json({ ...KINDS.video.answer, id: `video_${++videos}` });
    return Response.json(found === undefined ? {} : KINDS[found].answer);
  });
}

function streamed(): Response {
  const head = { id: "1", object: "chat.completion.chunk", created: 1, model: "in-house" };
  const pieces = [
    { index: 0, delta: { role: "assistant", content: "Hello" }, finish_reason: null },
    { index: 0, delta: {}, finish_reason: "stop" },
  ].map((choice) => `data: ${JSON.stringify({ ...head, choices: [choice] })}\n\n`);
  return new Response(`${pieces.join("")}data: [DONE]\n\n`, {
    headers: { "content-type": "text/event-stream" },
  });
}

async function openUnpriced(
  vendor: Vendor,
  yaml = "",
  lines: string[] = [],
  clock?: Clock,
): Promise<TestGateway> {
  const models = ALL.map((kind) => KINDS[kind].body.model).join(", ");
  return await openTestGateway({
    yaml:
      `channels:\n  - { name: one, provider: openai, base_url: "${vendor.url}/v1", ` +
      `api_key: secret, models: [${models}, gpt-4o-mini] }\n${yaml}`,
    env: { SLUICE_ADMIN_EMAIL: ROOT.email, SLUICE_ADMIN_PASSWORD: ROOT.password },
    log: pino({ base: null }, { write: (line) => void lines.push(line) }),
    ...(clock === undefined ? {} : { clock }),
  });
}

let vendor: Vendor;
let gateway: TestGateway;
let ada: Ask;
const lines: string[] = [];
beforeAll(async () => {
  vendor = openUnpricedVendor();
  gateway = await openUnpriced(vendor, "", lines);
  ada = await asUser(gateway.url, "ada");
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

async function keyOf(name: string, fields: object = {}, ask = ada): Promise<string> {
  return textIn((await ask("POST", "/api/token", { name, ...fields })).data, "key");
}

/** The call of ada's that ended last. */
async function journal(): Promise<unknown> {
  return (await ada("GET", "/api/log/self?page_size=1")).data["items"];
}

async function call(kind: Kind, key: string, at = gateway, model?: string): Promise<Response> {
  const { path, body } = KINDS[kind];
  return await at.post(path, { ...body, ...(model === undefined ? {} : { model }) }, bearer(key));
}

const notices = (written = lines): readonly Record<string, unknown>[] =>
  written
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => String(msg).startsWith("model has no price"));

describe("without a quota or budget", () => {
  test.each(ALL)(
    "a %s model without a price is served with a report and a mark in the journal",
    async (kind) => {
      const key = await keyOf(`free-${kind}`);

      const answer = await call(kind, key);
      await answer.text();

      expect([answer.status, answer.headers.get("sluice-unpriced")]).toEqual([200, "true"]);
      // A video's record is written once it is made.
      if (kind === "video") return;
      expect(await journal()).toMatchObject([
        { model: KINDS[kind].body.model, unpriced: true, cost_usd: 0 },
      ]);
    },
  );

  test("a video is marked in the journal after its completion", async () => {
    const key = await keyOf("free-made-video");
    const { id } = (await (await call("video", key)).json()) as { id: string };

    const look = async (): Promise<unknown> =>
      await (await gateway.get(`/v1/videos/${id}`, bearer(key))).json();
    await waitFor(
      async () => ((await look()) as { status: string }).status === "completed",
      20_000,
    );

    const made = async (): Promise<unknown> =>
      ((await ada("GET", "/api/log/self")).data["items"] as { id: string }[]).find(
        (each) => each.id === id,
      );
    await waitFor(async () => (await made()) !== undefined, 20_000);
    expect(await made()).toMatchObject({
      model: "sora-99",
      outcome: "completed",
      unpriced: true,
      cost_usd: 0,
    });
  });

  test("a stream reports it in its headers", async () => {
    const key = await keyOf("free-stream");
    const body = { ...KINDS.chat.body, stream: true };

    const answer = await gateway.post(KINDS.chat.path, body, bearer(key));
    expect(await answer.text()).toContain("[DONE]");

    expect(answer.headers.get("sluice-unpriced")).toBe("true");
  });

  test("the log has it once per model, without text of the request", async () => {
    const key = await keyOf("free-twice");
    for (let each = 0; each < 3; each++) await (await call("chat", key)).text();

    const ofChat = notices().filter(({ model }) => model === "in-house");
    expect(ofChat).toEqual([
      expect.objectContaining({ level: 40, model: "in-house", channel: "one", provider: "openai" }),
    ]);
  });

  test("a model with a price causes no report", async () => {
    const key = await keyOf("priced");

    const answer = await call("chat", key, gateway, "gpt-4o-mini");
    await answer.text();

    expect([answer.status, answer.headers.get("sluice-unpriced")]).toEqual([200, null]);
    expect(await journal()).toMatchObject([{ unpriced: false }]);
  });
});

describe("with a quota or budget", () => {
  test.each(ALL)("a %s model without a price is refused before an upstream call", async (kind) => {
    const key = await keyOf(`bound-${kind}`, { budget_day_usd: "0.01" });
    const before = vendor.seen.length;

    const answer = await call(kind, key);

    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain(`'${KINDS[kind].body.model}' has no price`);
    expect(vendor.seen.length).toBe(before);
  });

  test("the quota may be the key's, the user's or the team's", async () => {
    const ben = await asUser(gateway.url, "ben");
    const key = await keyOf("plain", {}, ben);
    const { id = 0 } = (await ben("GET", "/api/user/self")).data;
    const root = await asRoot(gateway.url);
    const set = (quota: unknown) =>
      root("PUT", `/api/user/${Number(id)}/quota`, { quota_usd: quota, reason: "a test" });
    expect((await call("chat", key)).status).toBe(200);

    await set(5);
    expect((await call("chat", key)).status).toBe(403);

    await set(null);
    expect((await call("chat", key)).status).toBe(200);
    expect((await call("chat", await keyOf("capped", { quota_usd: 1 }, ben))).status).toBe(403);
  });

  test("a model with a price is served", async () => {
    const key = await keyOf("bound-priced", { budget_day_usd: "1" });

    expect((await call("chat", key, gateway, "gpt-4o-mini")).status).toBe(200);
  });
});

test.each([
  ["allow", "serves everybody and logs nothing", 200, 200, 0],
  ["warn", "serves everybody and logs it", 200, 200, 1],
  ["refuse", "serves nobody and logs it", 403, 403, 1],
] as const)("pricing.unpriced: %s %s", async (rule, _, free, bound, told) => {
  const own: string[] = [];
  await using other = await openUnpriced(vendor, `pricing: { unpriced: ${rule} }`, own);
  const ask = await asUser(other.url, "ada");
  const plain = textIn((await ask("POST", "/api/token", { name: "plain" })).data, "key");
  const capped = textIn(
    (await ask("POST", "/api/token", { name: "capped", budget_day_usd: "0.01" })).data,
    "key",
  );

  expect((await call("chat", plain, other)).status).toBe(free);
  expect((await call("chat", capped, other)).status).toBe(bound);
  expect(own.filter((line) => line.includes("model has no price"))).toHaveLength(told);
});

/** The time of this machine, and as many hours later as the test says. */
function settableClock(): Clock & { hoursLater: number } {
  return {
    hoursLater: 0,
    now: () => systemClock.now(),
    monotonic() {
      return systemClock.monotonic() + this.hoursLater * 3_600_000;
    },
  };
}

test.each([
  ["served", {}, 200, "model has no price: its calls cost nothing"],
  ["refused", { budget_day_usd: "0.01" }, 403, "model has no price: call refused"],
] as const)(
  "that calls of a model are %s is logged once per hour",
  async (_, bound, status, msg) => {
    const written: string[] = [];
    const clock = settableClock();
    await using other = await openUnpriced(vendor, "", written, clock);
    const ask = await asUser(other.url, "ada");
    const key = await keyOf("own", bound, ask);
    const twice = async (): Promise<void> => {
      for (let each = 0; each < 2; each++) {
        const answer = await call("chat", key, other);
        expect([answer.status, (await answer.text()) !== ""]).toEqual([status, true]);
      }
    };
    const notice = { level: 40, msg, model: "in-house", channel: "one", provider: "openai" };

    await twice();
    expect(notices(written)).toEqual([expect.objectContaining(notice)]);

    clock.hoursLater = 0.9;
    await twice();
    expect(notices(written)).toHaveLength(1);

    clock.hoursLater = 1;
    await twice();
    expect(notices(written)).toEqual([
      expect.objectContaining(notice),
      expect.objectContaining(notice),
    ]);
  },
);

test("a refused video is logged, too", async () => {
  const written: string[] = [];
  await using other = await openUnpriced(vendor, "", written);
  const ask = await asUser(other.url, "ada");

  await (await call("video", await keyOf("own", { budget_day_usd: "0.01" }, ask), other)).text();

  expect(notices(written)).toMatchObject([
    { msg: "model has no price: call refused", model: "sora-99", channel: "one" },
  ]);
});

test("if one of two channels has a price, it serves a client with a budget", async () => {
  await using other = await openTestGateway({
    yaml:
      `channels:\n  - { name: dear, provider: openai, base_url: "${vendor.url}/v1", api_key: secret, models: [{ name: m, upstream: gpt-4o-mini }] }\n` +
      `  - { name: unknown, provider: openai, base_url: "${vendor.url}/v1", api_key: secret, models: [{ name: m, upstream: in-house }], priority: -1 }\n`,
    env: { SLUICE_ADMIN_EMAIL: ROOT.email, SLUICE_ADMIN_PASSWORD: ROOT.password },
  });
  const ask = await asUser(other.url, "ada");
  const { data } = await ask("POST", "/api/token", { name: "own", budget_day_usd: 1 });

  const answer = await call("chat", textIn(data, "key"), other, "m");

  expect([answer.status, answer.headers.get("sluice-unpriced")]).toEqual([200, null]);
});

test("a model on the operator's own machine is free, and needs no price", async () => {
  await using other = await openTestGateway({
    yaml: `channels:\n  - { name: local, provider: ollama, base_url: "${vendor.url}/v1", models: [in-house] }\n`,
    env: { SLUICE_ADMIN_EMAIL: ROOT.email, SLUICE_ADMIN_PASSWORD: ROOT.password },
  });
  const ask = await asUser(other.url, "ada");
  const { data } = await ask("POST", "/api/token", { name: "own", budget_day_usd: 1 });

  const answer = await call("chat", textIn(data, "key"), other);

  expect([answer.status, answer.headers.get("sluice-unpriced")]).toEqual([200, null]);
});

test("a price in other units than the video's does not count", async () => {
  const yaml = "models:\n  sora-99: { image: 1 }\n";
  await using other = await openUnpriced(vendor, yaml);
  const ask = await asUser(other.url, "ada");
  const { data } = await ask("POST", "/api/token", { name: "own", budget_day_usd: 1 });

  expect((await call("video", textIn(data, "key"), other)).status).toBe(403);
});

test("the list of models shows which have no price", async () => {
  const root = await asRoot(gateway.url);
  const { items } = (await root("GET", "/api/model?unpriced=true")).data;

  const named = JSON.stringify(items);
  expect(named).toContain('"in-house"');
  expect(named).toContain('"unpriced":true');
  expect(named).not.toContain("gpt-4o-mini");
});
