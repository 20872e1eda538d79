import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { asRoot, asUser, bearer, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import { openBooks } from "#test/books.ts";
import { simulatedChannel, type TestGateway } from "#test/harness.ts";

const MODEL = "gpt-4o-mini";

let sandbox: Sandbox;
let opened: TestGateway;
let ada: Ask;
let bob: Ask;
let auditor: Ask;
/** Three calls of two tokens of hers, the last one refused; then one of his. */
let ids: string[];
let tokens: number[];
beforeAll(async () => {
  sandbox = await startSandbox();
  const channel = simulatedChannel("secret-channel", sandbox.url, `models: [${MODEL}]`);
  opened = await openWithRoot({ yaml: `channels:\n${channel}` });
  ada = await asUser(opened.url, "ada");
  bob = await asUser(opened.url, "bob");
  auditor = await asUser(opened.url, "watcher", "auditor");
  const [first, second, his] = [
    await make(ada, "one"),
    await make(ada, "two"),
    await make(bob, "x"),
  ];
  tokens = [first.id, second.id, his.id];
  ids = [
    await call(first.key, MODEL),
    await call(second.key, MODEL, true),
    await call(second.key, "no-such-model"),
    await call(his.key, MODEL),
  ];
  using books = openBooks(opened.dataDir);
  await books.whenSettled();
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await sandbox.stop();
});

async function make(ask: Ask, name: string): Promise<{ id: number; key: string }> {
  const { data } = await ask("POST", "/api/token", { name });
  return { id: Number(data["id"]), key: textIn(data, "key") };
}

async function call(key: string, model: string, stream = false): Promise<string> {
  const messages = [{ role: "user", content: "Nobody else is to read this." }];
  const answer = await opened.post(
    "/v1/chat/completions",
    { model, messages, stream },
    bearer(key),
  );
  await answer.text();
  return answer.headers.get("x-request-id") ?? "";
}

async function list(ask: Ask, path: string): Promise<readonly JsonObject[]> {
  const { status, data } = await ask("GET", path);
  expect(status).toBe(200);
  return data["items"] as JsonObject[];
}

const idsIn = (items: readonly JsonObject[]): (string | undefined)[] =>
  items.map((each) => textIn(each, "id"));

describe("the call log", () => {
  test("shows users their own calls, latest first, with usage and cost", async () => {
    const items = await list(ada, "/api/log/self");
    using books = openBooks(opened.dataDir);
    const booked = books.calls().find((each) => each["id"] === ids[1]);

    expect(idsIn(items)).toEqual([ids[2], ids[1], ids[0]]);
    expect(items[0]).toMatchObject({ outcome: "failed", fault: "model_not_found", cost_usd: 0 });
    expect(items[1]).toMatchObject({
      token_id: tokens[1],
      model: MODEL,
      style: "chat",
      stream: true,
      outcome: "completed",
      fault: null,
      usage: { input_tokens: booked?.["input_tokens"], output_tokens: booked?.["output_tokens"] },
      cost_usd: Number(booked?.["cost"]) / 1e9,
    });
    expect(Number(items[1]?.["cost_usd"])).toBeGreaterThan(0);
  });

  test("has no text of clients, and for users no upstream", async () => {
    const seen = JSON.stringify(await ada("GET", "/api/log/self"));
    const whole = JSON.stringify(await auditor("GET", "/api/log"));

    expect(seen + whole).not.toContain("Nobody else");
    expect(seen).not.toContain("secret-channel");
    expect(whole).toContain("secret-channel");
  });

  test("is read page by page, and by token", async () => {
    const first = await list(ada, "/api/log/self?page_size=2");
    const last = await list(ada, `/api/log/self?page_size=2&before=${idsIn(first).at(-1)}`);
    const ofToken = await list(ada, `/api/log/self?token=${tokens[1]}`);

    expect([...idsIn(first), ...idsIn(last)]).toEqual([ids[2], ids[1], ids[0]]);
    expect(idsIn(ofToken)).toEqual([ids[2], ids[1]]);
  });

  test("[A5-3] gives the same answer for another user's objects as for objects that do not exist", async () => {
    const [, , hisToken] = tokens;
    const [, , , hisCall] = ids;

    for (const token of [hisToken, 4_711]) {
      expect(await list(ada, `/api/log/self?token=${token}`)).toEqual([]);
    }
    for (const id of [hisCall, "01ARZ3NDEKTSV4RRFFQ69G5FAV"]) {
      expect(await list(ada, `/api/log/self?before=${id}`)).toEqual([]);
      expect(await ada("GET", `/api/log/self/${id}`)).toMatchObject({
        status: 404,
        body: { success: false, message: "Call not found." },
      });
    }
    expect((await bob("GET", `/api/log/self/${hisCall}`)).data).toMatchObject({ id: hisCall });
  });

  test("shows an auditor the calls of all users, with every attempt", async () => {
    const all = await list(auditor, "/api/log");
    const one = await auditor("GET", `/api/log/${ids[1]}`);
    const adas = await list(auditor, `/api/log?user=${Number(one.data["user_id"])}`);

    expect(idsIn(all)).toEqual(ids.toReversed());
    expect(idsIn(adas)).toEqual([ids[2], ids[1], ids[0]]);
    expect(one.data).toMatchObject({
      channel: "secret-channel",
      upstream_model: MODEL,
      attempts: [{ channel: "secret-channel", status: 200, fault: null }],
    });
    expect(JSON.stringify(one.body)).not.toContain("upstream-secret");
  });

  test("shows the cost of each part of a call, which adds up to its cost", async () => {
    const { data } = await ada("GET", `/api/log/self/${ids[1]}`);
    const failed = await ada("GET", `/api/log/self/${ids[2]}`);
    const whole = await auditor("GET", `/api/log/${ids[1]}`);

    const parts = data["cost_parts"] as JsonObject[];
    expect(parts.map(({ kind }) => kind)).toEqual(["input", "output"]);
    for (const part of parts) {
      const { count, usd_per_million: rate, cost_usd: cost } = part;
      expect(Number(rate)).toBeGreaterThan(0);
      expect(Number(cost)).toBeCloseTo((Number(count) * Number(rate)) / 1e6, 12);
    }
    const sum = parts.reduce((total, each) => total + Number(each["cost_usd"]), 0);
    expect(sum).toBeCloseTo(Number(data["cost_usd"]), 8);
    expect(whole.data["cost_parts"]).toEqual(parts);
    expect(failed.data["cost_parts"]).toBeNull();
  });

  test("shows all users only to auditors and admins", async () => {
    for (const path of ["/api/log", `/api/log/${ids[0]}`]) {
      expect((await ada("GET", path)).status).toBe(403);
    }
  });

  test.each(["token=x", "token=0", "page_size=0", "page_size=101", "user=-1"])(
    "refuses %s",
    async (query) => {
      const root = await asRoot(opened.url);
      expect((await root("GET", `/api/log?${query}`)).status).toBe(400);
    },
  );
});
