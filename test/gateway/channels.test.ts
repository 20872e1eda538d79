import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { asRoot, asUser, openWithRoot, ROOT, textIn, type Ask } from "#test/accounts.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

const MODEL = "gpt-4o-mini";
const SECRET = "a-stored-channels-credential-jasper";
const FOREVER = "go on [[fault:endless]] [[fault:slow between_ms=2]]";

let sandbox: Sandbox;
let other: Sandbox;
let opened: TestGateway;
let root: Ask;
beforeEach(async () => {
  sandbox = await startSandbox();
  other = await startSandbox();
  opened = await openWithRoot();
  root = await asRoot(opened.url);
});
afterEach(async () => {
  await opened[Symbol.asyncDispose]();
  await sandbox.stop();
  await other.stop();
});

const at = (where: Sandbox): string => `${where.url}/openai/v1`;
const described = (more: object = {}): object => ({
  name: "main",
  provider: "openai",
  base_url: at(sandbox),
  api_key: SECRET,
  models: [MODEL],
  ...more,
});

async function create(more: object = {}): Promise<number> {
  const { status, body, data } = await root("POST", "/api/channel", described(more));
  if (status !== 200) throw new Error(`The channel was answered with ${body.message}`);
  return Number(data["id"]);
}

async function call(model = MODEL, content = "hi"): Promise<number> {
  const messages = [{ role: "user", content }];
  const answer = await opened.post("/v1/chat/completions", { model, max_tokens: 100, messages });
  await answer.text();
  return answer.status;
}

/** What the latest call was charged, in dollars. */
async function lastCost(): Promise<number> {
  const { data } = await root("GET", "/api/log?page_size=1");
  const [last] = data["items"] as { cost_usd: number }[];
  return last?.cost_usd ?? Number.NaN;
}

const credentialsSeenBy = (where: Sandbox): (string | undefined)[] =>
  where.requests.map(({ headers }) => headers["authorization"]);

describe("a channel that is created while the gateway runs", () => {
  test("accepts calls at once, and the simulator stops answering", async () => {
    const simulated = await opened.get("/v1/models");
    expect(await simulated.text()).toContain("claude");

    const { data, body } = await root("POST", "/api/channel", described());

    expect(body.success).toBe(true);
    expect(data).toMatchObject({
      source: "stored",
      status: 1,
      trouble: null,
      name: "main",
      base_url: at(sandbox),
      models: [MODEL],
      credentials: { count: 1, labels: ["...sper"] },
    });
    expect(JSON.stringify(body)).not.toContain(SECRET);
    expect(await call()).toBe(200);
    expect(credentialsSeenBy(sandbox)).toEqual([`Bearer ${SECRET}`]);
    const models = (await (await opened.get("/v1/models")).json()) as { data: { id: string }[] };
    expect(models.data.map(({ id }) => id)).toEqual([MODEL]);
  });

  test("is not used while it is disabled, and the simulator does not replace it", async () => {
    const id = await create();

    await root("PUT", `/api/channel/${id}`, { status: 2 });
    expect(await call()).toBe(404);
    expect((await root("GET", `/api/channel/${id}`)).data).toMatchObject({
      status: 2,
      serving: false,
    });

    await root("PUT", `/api/channel/${id}`, { status: 1 });
    expect(await call()).toBe(200);

    expect((await root("DELETE", `/api/channel/${id}`)).status).toBe(200);
    expect(await call()).toBe(404);
    expect((await root("DELETE", `/api/channel/${id}`)).status).toBe(404);
    expect((await root("GET", "/api/channel")).data).toEqual({ items: [] });
  });

  test("without a list of models has its upstream's list requested at once", async () => {
    await create({ models: null });

    await waitFor(() => sandbox.requests.some(({ path }) => path === "/openai/v1/models"));

    expect(credentialsSeenBy(sandbox)[0]).toBe(`Bearer ${SECRET}`);
    expect(await call()).toBe(200);
  });

  test("exists after a restart, with its credential", async () => {
    await using second = await openAgain();

    const messages = [{ role: "user", content: "hi" }];
    const answer = await second.post("/v1/chat/completions", { model: MODEL, messages });
    expect(answer.status).toBe(200);
    await answer.text();
  });

  test("whose row was changed externally is left out, and the gateway still starts", async () => {
    await using second = await openAgain((database) => {
      database.run("update channels set base_url = ?", [at(other)]);
    });

    const { data } = await (await asRoot(second.url))("GET", "/api/channel");
    expect(data["items"]).toMatchObject([
      { serving: false, trouble: "credential_unreadable", credentials: { count: 1, labels: [] } },
    ]);
    const messages = [{ role: "user", content: "hi" }];
    const answer = await second.post("/v1/chat/completions", { model: MODEL, messages });
    expect(answer.status).toBe(404);
    await answer.text();
    expect(other.requests).toEqual([]);
  });
});

const LOGIN = { SLUICE_ADMIN_EMAIL: ROOT.email, SLUICE_ADMIN_PASSWORD: ROOT.password };

describe("a change", () => {
  test("affects only the named fields, and null removes a value", async () => {
    const id = await create({ priority: 5, limits: { rpm: 60 }, max_concurrent: 3 });

    const { data } = await root("PUT", `/api/channel/${id}`, { weight: 0.5, limits: null });

    expect(data).toMatchObject({ priority: 5, weight: 0.5, limits: null, max_concurrent: 3 });
    expect(await call()).toBe(200);
  });

  test("keeps concurrent changes of others", async () => {
    const id = await create();
    const changes = [{ status: 2 }, { weight: 3 }, { priority: 5 }, { max_concurrent: 7 }];

    await Promise.all(changes.map((change) => root("PUT", `/api/channel/${id}`, change)));

    const { data } = await root("GET", `/api/channel/${id}`);
    expect(data).toMatchObject({ status: 2, weight: 3, priority: 5, max_concurrent: 7 });
  });

  test("may contain every field of the response", async () => {
    const id = await create();
    const { data } = await root("GET", `/api/channel/${id}`);

    const changed = await root("PUT", `/api/channel/${id}`, { ...data, priority: 1 });

    expect(changed.status).toBe(200);
    const { health: _health, balance: _balance, ...described } = data;
    expect<unknown>({ ...changed.data, updated_at: 0 }).toEqual({
      ...described,
      priority: 1,
      revision: 2,
      updated_at: 0,
    });
    expect(await call()).toBe(200);
  });

  test("that is based on an older revision is refused, and the answer names the changed fields", async () => {
    const id = await create({ notes: "the lab pays" });
    const path = `/api/channel/${id}`;
    const { data, headers } = await root("GET", path);
    const etag = headers.get("etag") ?? "";
    await root("PUT", path, { priority: 4, tags: ["eu"] });

    const byField = await root("PUT", path, { weight: 2, revision: data["revision"] });
    const byHeader = await root("PUT", path, { weight: 2 }, { "if-match": etag });
    const deletion = await root("DELETE", path, undefined, { "if-match": etag });
    const deletionByQuery = await root("DELETE", `${path}?revision=1`);

    expect(etag).toBe('"1"');
    for (const refused of [byField, byHeader, deletion, deletionByQuery]) {
      expect(refused.status).toBe(409);
      expect(refused.body.message).toContain("Changed since: priority, tags.");
      expect(refused.data).toMatchObject({
        revision: 2,
        changes: [{ revision: 2, fields: ["priority", "tags"] }],
      });
    }
    expect((await root("PUT", path, { weight: 2, revision: 2 })).data).toMatchObject({
      weight: 2,
      revision: 3,
    });
    expect((await root("PUT", path, { weight: 3 }, { "if-match": "*" })).status).toBe(200);
    expect((await root("PUT", path, { weight: 3 }, { "if-match": "W/abc" })).status).toBe(400);
    expect((await root("DELETE", `${path}?revision=4`)).status).toBe(200);
  });

  test("of the address removes the credential, which is never sent to the new address", async () => {
    const id = await create();
    expect(await call()).toBe(200);

    const moved = await root("PUT", `/api/channel/${id}`, { base_url: at(other) });

    expect(moved.body.message).toContain("were deleted");
    expect(moved.data).toMatchObject({
      status: 1,
      serving: false,
      trouble: "credential_missing",
      credentials: { count: 0, labels: [] },
    });
    expect(await call()).toBe(404);
    await root("POST", `/api/channel/${id}/test`, {});
    expect(other.requests).toEqual([]);

    // Back again it does not come either.
    await root("PUT", `/api/channel/${id}`, { base_url: at(sandbox) });
    expect(await call()).toBe(404);

    const given = await root("PUT", `/api/channel/${id}`, {
      base_url: at(other),
      api_key: "the-credential-for-there",
    });
    expect(given.data).toMatchObject({ serving: true, trouble: null });
    expect(await call()).toBe(200);
    expect(credentialsSeenBy(other)).toEqual(["Bearer the-credential-for-there"]);
  });

  test("of the credential takes effect with the next call", async () => {
    const id = await create();
    await call();

    await root("PUT", `/api/channel/${id}`, {
      api_keys: ["a-newer-credential-1", "and-another-1"],
    });
    await call();
    await call();

    const [first, ...later] = credentialsSeenBy(sandbox);
    expect(first).toBe(`Bearer ${SECRET}`);
    expect(later).toHaveLength(2);
    expect(new Set(later)).toEqual(
      new Set(["Bearer a-newer-credential-1", "Bearer and-another-1"]),
    );
  });

  test("removes a credential that is not needed", async () => {
    const local = { provider: "openai-compatible", models: ["m"] };
    const id = await create(local);

    const { data } = await root("PUT", `/api/channel/${id}`, { api_key: null });

    expect(data).toMatchObject({ status: 1, credentials: { count: 0, labels: [] } });
    await call("m");
    expect(credentialsSeenBy(sandbox)).toEqual([undefined]);
  });

  test("does not affect running calls, even if the channel is deleted", async () => {
    const id = await create();
    const running = await opened.post("/v1/chat/completions", {
      model: MODEL,
      stream: true,
      messages: [{ role: "user", content: "Count to 40 [[fault:slow between_ms=20]]" }],
    });
    expect((await root("GET", `/api/channel/${id}`)).data).toMatchObject({ in_flight: 1 });

    await root("PUT", `/api/channel/${id}`, { priority: 3 });
    expect((await root("GET", `/api/channel/${id}`)).data).toMatchObject({ in_flight: 1 });
    await root("DELETE", `/api/channel/${id}`);

    expect(await running.text()).toEndWith("data: [DONE]\n\n");
    expect(await call()).toBe(404);
  });

  test("does not raise the limit of concurrent calls by itself", async () => {
    const id = await create({ max_concurrent: 1 });
    const ending = new AbortController();
    const running = await fetch(`${opened.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer test-key-0123456789abcdefghij" },
      body: JSON.stringify({
        model: MODEL,
        stream: true,
        messages: [{ role: "user", content: FOREVER }],
      }),
      signal: ending.signal,
    });

    await root("PUT", `/api/channel/${id}`, { priority: 3 });

    expect(await call()).toBe(503);
    ending.abort();
    await running.text().catch(() => {});
    await waitFor(async () => (await call()) === 200);
  });
});

describe("a copy", () => {
  test("has the same fields and credentials, is disabled, and shows no credential", async () => {
    const id = await create({ tags: ["eu"], priority: 3, body: { set: { seed: 7 } } });
    const { data: original } = await root("GET", `/api/channel/${id}`);

    const copied = await root("POST", `/api/channel/${id}/copy`, {});
    const copyId = Number(copied.data["id"]);

    expect(JSON.stringify(copied.body)).not.toContain(SECRET);
    const { tags, priority, body, models, credentials, base_url, reach } = original;
    expect(copied.data).toMatchObject({
      tags,
      priority,
      body,
      models,
      credentials,
      base_url,
      reach,
      name: "main-copy",
      status: 2,
      revision: 1,
    });
    await root("PUT", `/api/channel/${copyId}`, { status: 1 });
    await root("DELETE", `/api/channel/${id}`);
    expect(await call()).toBe(200);
    expect(credentialsSeenBy(sandbox).at(-1)).toBe(`Bearer ${SECRET}`);
  });

  test("needs a free name, and a channel of one's own", async () => {
    const simulated = await root("POST", "/api/channel/simulated-openai/copy", {});
    const id = await create();

    const taken = await root("POST", `/api/channel/${id}/copy`, { name: "main" });
    const missing = await root("POST", "/api/channel/none/copy", {});

    expect(simulated.body.message).toContain("simulator cannot be copied");
    expect(taken.body.message).toContain("already exists");
    expect(missing.status).toBe(404);
  });

  test("of a channel in a private network can be made by an admin without a change of its address", async () => {
    const id = await create();
    const admin = await asUser(opened.url, "the-admin", "admin");

    const copied = await admin("POST", `/api/channel/${id}/copy`, { name: "second", status: 1 });

    expect(copied.data).toMatchObject({ name: "second", status: 1, reach: "private" });
  });
});

describe("a test of all channels", () => {
  test("reports each channel, also disabled ones", async () => {
    await create({ name: "good", tags: ["eu"] });
    await create({ name: "off", status: 2 });
    await create({ name: "gone", base_url: "http://127.0.0.1:1/v1", tags: ["eu"] });

    const all = await root("POST", "/api/channel/test", {});
    const some = await root("POST", "/api/channel/test", { tag: "eu" });

    expect(all.data).toMatchObject({
      tested: 3,
      failed: 1,
      items: [
        { name: "good", ok: true, trouble: null, probes: [{ ok: true }] },
        { name: "off", ok: true },
        { name: "gone", ok: false, probes: [{ ok: false, fault: "upstream_unreachable" }] },
      ],
    });
    expect(some.data).toMatchObject({ tested: 2, failed: 1 });
  });
});

describe("a prefix of models", () => {
  test("serves the models of its channel under a second name, which lists show", async () => {
    await create({ model_prefix: "eu", models: [{ name: "small", upstream: MODEL }] });
    await create({ name: "elsewhere", base_url: at(other), models: ["small"], priority: -1 });

    expect(await call("eu/small")).toBe(200);
    expect(sandbox.requests.at(-1)?.body).toMatchObject({ model: MODEL });
    expect(other.requests.filter(({ method }) => method === "POST")).toEqual([]);
    expect(await call("us/small")).toBe(404);

    const listed = await opened.get("/v1/models");
    const { data } = (await listed.json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(["eu/small", "small"]);
  });

  test("is used by a test of the channel, and charged like the plain name", async () => {
    const id = await create({ model_prefix: "eu" });
    const probe = await root("POST", `/api/channel/${id}/test`, { model: `eu/${MODEL}` });

    await call(MODEL);
    const plain = await lastCost();
    await call(`eu/${MODEL}`);

    expect(probe.data).toMatchObject({ ok: true });
    expect(plain).toBeGreaterThan(0);
    expect(await lastCost()).toBe(plain);
  });

  test("can limit a key to the channels with the prefix", async () => {
    await create({ model_prefix: "eu" });
    const { data } = await root("POST", "/api/token", { name: "k", models: ["eu/*"] });
    const asKey = async (model: string): Promise<number> => {
      const answer = await fetch(`${opened.url}/v1/chat/completions`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${textIn(data, "key")}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
      });
      await answer.text();
      return answer.status;
    };

    expect(await asKey(`eu/${MODEL}`)).toBe(200);
    expect(await asKey(MODEL)).toBe(404);
  });
});

describe("overrides", () => {
  const OVERRIDES = {
    headers: { set: { "X-Team": "search" }, default: { "user-agent": "x" }, remove: ["accept"] },
    query: { set: { trace: "on" } },
    body: {
      set: { "metadata.owner": "lab", seed: 7 },
      default: { top_p: 0.5, temperature: 0.1 },
      remove: ["user"],
    },
  };
  const question = { model: MODEL, max_tokens: 100, messages: [{ role: "user", content: "hi" }] };
  const given = { ...question, temperature: 0.9, user: "someone" };
  const EXPECTED = {
    ...question,
    temperature: 0.9,
    top_p: 0.5,
    seed: 7,
    metadata: { owner: "lab" },
  };

  test("change headers, query and body of passed and of translated calls, and not the credential", async () => {
    await create(OVERRIDES);

    const passed = await opened.post("/v1/chat/completions", given);
    const translated = await opened.post("/v1/messages", given);

    expect([passed.status, translated.status]).toEqual([200, 200]);
    expect(passed.headers.get("sluice-lossy")).toBe("user");
    const [first, second] = sandbox.requests.filter(({ path }) => path.includes("completions"));
    expect(first?.body).toEqual(EXPECTED);
    expect(second?.body).toMatchObject({ seed: 7, top_p: 0.5, metadata: { owner: "lab" } });
    for (const sent of [first, second]) {
      expect(sent?.headers).toMatchObject({
        "x-team": "search",
        "user-agent": "sluice",
        authorization: `Bearer ${SECRET}`,
      });
      expect(sent?.headers).not.toHaveProperty("accept");
      expect(String(sent?.query)).toContain("trace=on");
    }
  });

  test("are shown as they can be written again, and named by an explanation", async () => {
    const body = { set: { a: "1", b: '"1"', c: null, d: [true, "x"], e: { f: "null" } } };
    const id = await create({ ...OVERRIDES, body });
    const { data } = await root("GET", `/api/channel/${id}`);

    const again = await root("PUT", `/api/channel/${id}`, { ...data, priority: 1 });
    const explained = await opened.post("/api/explain", {
      path: "/v1/chat/completions",
      body: given,
    });
    const { data: explanation } = (await explained.json()) as {
      data: { channels: { overrides: string[] }[]; request: { body: object } };
    };

    expect(data["body"]).toEqual({
      set: { a: 1, b: '"1"', d: [true, "x"], e: { f: "null" } },
    });
    expect(again.data["body"]).toEqual(data["body"] ?? null);
    expect(again.data["headers"]).toEqual({
      set: { "x-team": "search" },
      default: { "user-agent": "x" },
      remove: ["accept"],
    });
    expect(explanation.request.body).toMatchObject({ a: 1, b: "1", e: { f: null } });
    expect(explanation.channels[0]?.overrides).toContain("headers.set.x-team");
    expect(explanation.channels[0]?.overrides).toContain("body.set.b");
  });

  test.each([
    [{ headers: { set: { Authorization: "x" } } }, '"Authorization" carries credentials'],
    [{ headers: { remove: ["x-api-key"] } }, '"x-api-key" carries credentials'],
    [{ headers: { set: { "Transfer-Encoding": "x" } } }, "belongs to the connection"],
    [{ headers: { set: { "x-a": "1" }, remove: ["X-A"] } }, "Choose one of set, default"],
    [{ headers: { set: { "x-a": "1\r\nx-b: 2" } } }, "is not text of 1 to 2000"],
    [{ query: { set: { key: "x" } } }, '"key" carries credentials'],
    [{ body: { set: { model: "x" } } }, '"model" cannot be overridden'],
    [{ body: { remove: ["stream_options.include_usage"] } }, "cannot be overridden"],
    [{ body: { set: { generationConfig: {} } } }, "cannot be overridden"],
    [{ body: { set: { "__proto__.a": 1 } } }, "is not a path of members"],
    [{ body: { put: {} } }, '"put" is not known here'],
  ])("%j are refused with an explanation", async (more, reason) => {
    const refused = await root("POST", "/api/channel", described(more));

    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain(reason);
  });
});

describe("labels and notes", () => {
  const namesOf = async (query: string): Promise<unknown> => {
    const { data } = await root("GET", `/api/channel${query}`);
    return (data["items"] as { name: string }[]).map(({ name }) => name);
  };

  test("are shown, and the list can be limited to channels with a label", async () => {
    await create({ name: "a", tags: ["eu", "paid"], notes: "until March" });
    await create({ name: "b", tags: ["eu"] });
    await create({ name: "c" });

    expect(await namesOf("?tag=eu")).toEqual(["a", "b"]);
    expect(await namesOf("?tag=eu,paid")).toEqual(["a"]);
    expect(await namesOf("?tag=us")).toEqual([]);
    expect(await namesOf("")).toEqual(["a", "b", "c"]);
    const { data } = await root("GET", "/api/channel?tag=paid");
    expect(data["items"]).toMatchObject([{ tags: ["eu", "paid"], notes: "until March" }]);
  });

  test("are checked, and a change can remove them", async () => {
    const id = await create({ tags: ["eu"], notes: "x" });

    const twice = await root("PUT", `/api/channel/${id}`, { tags: ["us", "us"] });
    const spaced = await root("PUT", `/api/channel/${id}`, { tags: ["a b"] });
    const removed = await root("PUT", `/api/channel/${id}`, { tags: null, notes: null });

    expect(twice.body.message).toContain("is a duplicate label");
    expect(spaced.body.message).toContain("is not a label of 1 to 64");
    expect(removed.data).toMatchObject({ tags: [], notes: null });
  });
});

describe("a discount or surcharge of a channel", () => {
  test("is in the cost of each call, in its parts and in explanations", async () => {
    const id = await create();
    await root("PUT", `/api/model/${MODEL}`, { input: 1_000, output: 0, source: "a list" });
    await call();
    const usual = await lastCost();

    const changed = await root("PUT", `/api/channel/${id}`, { price_factor: "0.9" });
    await call();
    const discounted = await lastCost();
    const { data: page } = await root("GET", "/api/log?page_size=1");
    const [{ id: last = "" } = {}] = page["items"] as { id?: string }[];
    const { data: whole } = await root("GET", `/api/log/${last}`);
    const messages = [{ role: "user", content: "hi" }];
    const explained = await opened.post("/api/explain", {
      style: "chat",
      body: { model: MODEL, messages },
    });

    expect(changed.data).toMatchObject({ price_factor: "0.9" });
    expect(discounted).toBeCloseTo(usual * 0.9, 9);
    expect(whole["cost_parts"]).toMatchObject([
      { kind: "input", usd_per_million: "900" },
      { kind: "output", usd_per_million: "0" },
    ]);
    expect(await explained.text()).toContain("a list, times 0.9 on the channel 'main'");
    expect((await root("GET", "/api/model")).data["items"]).toMatchObject([
      { served_by: [{ price: { input: 900 } }] },
    ]);
    expect((await root("PUT", `/api/channel/${id}`, { price_factor: null })).data).toMatchObject({
      price_factor: null,
    });
  });

  test.each([-1, 101, 0.1234, "half"])("of %p is refused", async (factor) => {
    const refused = await root("POST", "/api/channel", described({ price_factor: factor }));

    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain("price_factor");
  });
});

describe("a price", () => {
  const price = (input: number, output: number) => ({
    input,
    output,
    source: "the vendor's list",
    date: "2026-11-01",
  });

  test("that is changed applies to later calls only", async () => {
    await create();
    await root("PUT", `/api/model/${MODEL}`, price(10, 0));
    await call();
    const before = await lastCost();
    const running = await opened.post("/v1/chat/completions", {
      model: MODEL,
      stream: true,
      messages: [{ role: "user", content: "hi [[fault:slow between_ms=20]]" }],
    });

    const { data } = await root("PUT", `/api/model/${MODEL}`, price(1_000, 0));
    await running.text();
    const during = await lastCost();
    await call();

    expect(data).toMatchObject({
      name: MODEL,
      served_by: [{ channel: "main", provider: "openai", price: price(1_000, 0) }],
      override: { source: "stored", price: price(1_000, 0) },
    });
    expect(before).toBeGreaterThan(0);
    expect(during).toBeLessThan(before * 10);
    expect(await lastCost()).toBeCloseTo(before * 100, 9);

    expect((await root("DELETE", `/api/model/${MODEL}`)).status).toBe(200);
    await call();
    expect(await lastCost()).toBeLessThan(before);
  });

  test("needs a source, and is replaced as a whole", async () => {
    const put = (body: object) => root("PUT", `/api/model/${MODEL}`, body);

    expect((await put({ input: 1, output: 2 })).body.message).toContain("'source'");
    expect((await put({ input: 1, source: "a list" })).body.message).toContain('"output"');
    const odd = { ...price(1, 2), date: "2026-02-31" };
    expect((await put(odd)).body.message).toContain("'date'");
    expect((await put({ ...price(1, 2), ouput: 3 })).body.message).toContain("'ouput'");
    expect((await put({})).status).toBe(400);
    expect((await put({ context: 4_096 })).status).toBe(200);
  });

  test("may be for a model with slashes in its name, in any notation", async () => {
    await create({ models: ["meta/llama-9"] });

    for (const name of ["meta%2Fllama-9", "meta/llama-9", "meta%2Fllama-9/"]) {
      const { data } = await root("PUT", `/api/model/${name}`, price(1, 2));
      expect(data).toMatchObject({ name: "meta/llama-9", served_by: [{ channel: "main" }] });
      expect((await root("DELETE", `/api/model/${name}`)).status).toBe(200);
    }
    expect((await root("DELETE", "/api/model/meta%2Fllama-9")).status).toBe(404);
  });

  test("and a model's abilities are shown beside its channels", async () => {
    await create();
    await root("PUT", "/api/model/nobody-serves-it", { context: 1, limits: { rpm: 2 } });

    const { data } = await root("GET", "/api/model");

    expect(data["items"]).toMatchObject([
      {
        name: MODEL,
        override: null,
        served_by: [{ price: { source: expect.any(String) }, tools: true, kind: "chat" }],
      },
      { name: "nobody-serves-it", served_by: [], override: { context: 1, limits: { rpm: 2 } } },
    ]);
  });

  test("of a model applies to its aliases, and is shown for them", async () => {
    await create({ models: [{ name: "fast", upstream: MODEL }] });
    await root("PUT", `/api/model/${MODEL}`, price(1, 2));

    const { data } = await root("GET", "/api/model");

    expect(data["items"]).toMatchObject([
      { name: "fast", override: null, served_by: [{ price: price(1, 2), overridden_by: MODEL }] },
      { name: MODEL, served_by: [], override: { source: "stored" } },
    ]);
  });
});

describe("an object from the configuration file", () => {
  const yaml = (): string => `channels:
  - { name: of-the-file, provider: openai, base_url: "${at(sandbox)}", api_key: k-12345, models: [${MODEL}] }
models:
  ${MODEL}: { input: 1, output: 2 }
`;

  test("is shown with its origin, and cannot be changed", async () => {
    await using own = await openWithRoot({ yaml: yaml() });
    const ask = await asRoot(own.url);

    const { data } = await ask("GET", "/api/channel/of-the-file");
    expect(data).toMatchObject({ id: null, source: "file", status: 1, name: "of-the-file" });
    const model = (await ask("GET", "/api/model")).data["items"];
    expect(model).toMatchObject([{ name: MODEL, override: { source: "file" } }]);

    const refusals = [
      await ask("PUT", "/api/channel/of-the-file", { priority: 1 }),
      await ask("DELETE", "/api/channel/of-the-file"),
      await ask("POST", "/api/channel", described({ name: "of-the-file" })),
      await ask("PUT", `/api/model/${MODEL}`, { context: 9 }),
      await ask("DELETE", `/api/model/${MODEL}`),
    ];
    for (const { status, body } of refusals) {
      expect(status).toBe(400);
      expect(body.message).toContain("the file sluice.yaml");
    }
    const { data: made } = await ask("POST", "/api/channel", described());
    const renamed = await ask("PUT", `/api/channel/${Number(made["id"])}`, { name: "of-the-file" });
    expect(renamed.body.message).toContain("the file sluice.yaml");
  });

  test("takes precedence over a stored one with the same name", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-channels-"));
    const first = await openTestGateway({ yaml: "sandbox: auto", dataDir, env: LOGIN });
    const stored = described({ name: "of-the-file", base_url: at(other), models: ["stored"] });
    await (
      await asRoot(first.url)
    )("POST", "/api/channel", stored);
    await first[Symbol.asyncDispose]();

    await using own = await openTestGateway({ yaml: yaml(), dataDir, env: LOGIN });

    const { data } = await (await asRoot(own.url))("GET", "/api/channel");
    expect(data["items"]).toMatchObject([
      { source: "file", serving: true },
      { source: "stored", serving: false, trouble: "name_taken" },
    ]);
    const models = await (await own.get("/v1/models")).text();
    expect(models).not.toContain("stored");
    rmSync(dataDir, { recursive: true, force: true });
  });
});

describe("an address", () => {
  test("in the operator's networks can be set only by root, and metadata addresses by no user", async () => {
    const admin = await asUser(opened.url, "the-admin", "admin");
    const make = (ask: Ask, base_url: string) =>
      ask("POST", "/api/channel", described({ name: base_url.replaceAll(/\W/g, "-"), base_url }));

    for (const url of [
      "http://169.254.169.254",
      "http://[fe80::1]",
      "http://metadata.google.internal",
    ]) {
      expect((await make(root, url)).status).toBe(400);
      expect((await make(admin, url)).status).toBe(400);
    }
    for (const url of ["http://10.0.0.1", "http://localhost:11434/v1", "http://ollama:11434"]) {
      expect((await make(admin, url)).status).toBe(403);
      expect((await make(root, url)).status).toBe(200);
    }
    const base_url = "https://api.example.com/v1";
    const { data } = await make(admin, base_url);
    expect(data).toMatchObject({ reach: "public" });
    const path = `/api/channel/${Number(data["id"])}`;
    expect((await admin("PUT", path, { base_url })).data).toMatchObject({ reach: "public" });
    expect((await root("PUT", path, { weight: 2 })).data).toMatchObject({ reach: "public" });
    expect((await root("PUT", path, { base_url })).data).toMatchObject({
      reach: "private",
      credentials: { count: 1 },
    });
  });

  test("that root set stays usable, and an admin may change everything else", async () => {
    const admin = await asUser(opened.url, "the-admin", "admin");
    const id = await create();

    const changed = await admin("PUT", `/api/channel/${id}`, { base_url: at(sandbox), weight: 2 });
    expect(changed.data).toMatchObject({ weight: 2, reach: "private", credentials: { count: 1 } });
    expect(await call()).toBe(200);

    const moved = await admin("PUT", `/api/channel/${id}`, { base_url: at(other) });
    expect(moved.status).toBe(403);
    expect(await call()).toBe(200);
    expect(other.requests).toEqual([]);
  });

  test("is checked again for each connection: a public name with a private address is not called", async () => {
    // As it is for a name that was public when it was looked at.
    await using second = await openAgain((database) => {
      database.run("update channels set reach = 'public'");
    });

    const messages = [{ role: "user", content: "hi" }];
    const answer = await second.post("/v1/chat/completions", { model: MODEL, messages });
    expect(answer.status).toBe(502);
    expect(await answer.text()).not.toContain("127.0.0.1");
    const ask = await asRoot(second.url);
    for (const body of [{}, { model: MODEL }]) {
      const { data } = await ask("POST", "/api/channel/1/test", body);
      expect(data).toMatchObject({ probes: [{ fault: "upstream_unreachable" }] });
    }
    expect(sandbox.requests).toEqual([]);
  });
});

describe("a test of a channel", () => {
  test("requests its models with each credential, and reports which credential is refused", async () => {
    await using guarded = await startSandbox({ apiKeys: [SECRET] });
    const id = await create({
      base_url: at(guarded),
      api_key: null,
      api_keys: [SECRET, "a-wrong-one-0001"],
    });

    const { data, body } = await root("POST", `/api/channel/${id}/test`, {});

    expect(data).toMatchObject({
      ok: false,
      probes: [
        { credential: "...sper", ok: true, fault: null, models: expect.any(Number) },
        { credential: "...0001", ok: false, fault: "upstream_auth" },
      ],
    });
    expect(JSON.stringify(body)).not.toContain(SECRET);
    expect(JSON.stringify(body)).not.toContain("a-wrong-one");
  });

  test("requests one token of a model, even on a disabled channel, without a charge", async () => {
    const id = await create({ status: 2, models: [{ name: "fast", upstream: MODEL }] });

    const { data } = await root("POST", `/api/channel/${id}/test`, { model: "fast" });

    expect(data).toMatchObject({ ok: true, probes: [{ ok: true, models: null }] });
    expect(sandbox.requests.map((each) => each.body)).toMatchObject([{ model: MODEL }]);
    expect((await root("GET", "/api/log")).data["items"]).toEqual([]);
    expect((await root("GET", `/api/channel/${id}`)).data).toMatchObject({ in_flight: 0 });
  });

  test("reports failures with the messages of the error table", async () => {
    const id = await create({ base_url: "http://127.0.0.1:1/v1" });

    const { data } = await root("POST", `/api/channel/${id}/test`, { model: MODEL });

    expect(data).toMatchObject({
      ok: false,
      probes: [{ ok: false, fault: "upstream_unreachable" }],
    });
    expect(JSON.stringify(data)).not.toContain("127.0.0.1");
  });
});

describe("refused with an explanation", () => {
  const refused: readonly (readonly [string, object, string])[] = [
    ["an unknown provider", { provider: "opnai" }, 'did you mean "openai"'],
    ["no credential", { api_key: null }, '"api_key" is missing'],
    ["an unknown field", { wieght: 2 }, "'wieght' is not known here"],
    ["a weight of nothing", { weight: 0 }, "weight:"],
    ["an address with a password", { base_url: "https://me:pw@example.com" }, "base_url:"],
    ["an unknown option", { options: { region: "eu" } }, "openai has no options"],
    ["an unknown style", { style: "gemini" }, "style:"],
    ["a model twice", { models: ["a", "a"] }, "models[1]:"],
    ["a name that is taken", { name: "taken" }, "named 'taken' already"],
  ];
  test.each(refused)("%s", async (_, more, message) => {
    await create({ name: "taken" });

    const { status, body } = await root("POST", "/api/channel", described(more));

    expect(status).toBe(400);
    expect(body.message).toContain(message);
    expect(body.message).not.toContain(SECRET);
    expect((await root("GET", "/api/channel")).data["items"]).toHaveLength(1);
  });
});

/** A gateway on the database of another, which was given a channel and stopped; `tamper` came between. */
async function openAgain(tamper?: (database: Database) => void): Promise<TestGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-channels-"));
  const options = { yaml: "sandbox: auto", dataDir, env: LOGIN };
  const first = await openTestGateway(options);
  const root = await asRoot(first.url);
  await root("POST", "/api/channel", described());
  await first[Symbol.asyncDispose]();

  const database = new Database(join(dataDir, "sluice.db"));
  tamper?.(database);
  database.close();

  const second = await openTestGateway(options);
  return {
    ...second,
    async [Symbol.asyncDispose]() {
      await second[Symbol.asyncDispose]();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
