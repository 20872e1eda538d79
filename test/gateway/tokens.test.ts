import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { askWith, asUser, bearer, openWithRoot, type Ask, textIn } from "#test/accounts.ts";
import { openBooks } from "#test/books.ts";
import { KEY, type TestGateway } from "#test/harness.ts";

let opened: TestGateway;
let ada: Ask;
let bob: Ask;
beforeAll(async () => {
  opened = await openWithRoot();
  ada = await asUser(opened.url, "ada");
  bob = await asUser(opened.url, "bob");
});
afterAll(() => opened[Symbol.asyncDispose]());

let made = 0;

async function make(ask: Ask, fields: object = {}): Promise<{ id: number; key: string }> {
  const { status, data } = await ask("POST", "/api/token", { name: `made ${made++}`, ...fields });
  expect(status).toBe(200);
  return { id: Number(data["id"]), key: textIn(data, "key") };
}

function listModels(key: string, headers: Readonly<Record<string, string>> = {}) {
  return fetch(`${opened.url}/v1/models`, { headers: { ...bearer(key), ...headers } });
}

describe("a token", () => {
  test("[A2.1] has an integer id and a status, of which 2 means disabled", async () => {
    const { id, key } = await make(ada);

    const disabled = await ada("PUT", `/api/token/${id}`, { status: 2 });

    expect(Number.isSafeInteger(id)).toBe(true);
    expect(disabled.data).toMatchObject({ id, status: 2 });
    expect((await listModels(key)).status).toBe(401);
  });

  test("shows its key at creation only", async () => {
    const { id, key } = await make(ada);
    using books = openBooks(opened.dataDir);

    const later = [
      await ada("GET", `/api/token/${id}`),
      await ada("GET", "/api/token?page_size=100"),
      await ada("PUT", `/api/token/${id}`, { rpm: 5 }),
    ];

    expect(key).toMatch(/^sk-slc_[0-9A-Za-z]{38}$/);
    expect((await listModels(key)).status).toBe(200);
    for (const { body } of later) expect(JSON.stringify(body)).not.toContain(key);
    expect(books.dump()).not.toContain(key);
    expect(later[0]?.data["last4"]).toBe(key.slice(-4));
    expect(later[0]?.headers.get("cache-control")).toBe("no-store");
  });

  test("keeps the values it was created with", async () => {
    const fields = {
      name: "all of it",
      expires_at: 4_000_000_000,
      models: ["gpt-4o-mini", "claude-*"],
      quota_usd: 12.345_678_901,
      ip_ranges: ["10.0.0.0/8", "2001:db8::/32", "192.0.2.7"],
      rpm: 60,
      tpm: 100_000,
      concurrency: 4,
    };

    const created = await ada("POST", "/api/token", fields);

    const shown = await ada("GET", `/api/token/${Number(created.data["id"])}`);
    expect(shown.data).toMatchObject({ ...fields, status: 1, used_usd: 0 });
  });

  test("has no limits by default", async () => {
    const { id } = await make(ada);

    expect((await ada("GET", `/api/token/${id}`)).data).toMatchObject({
      status: 1,
      expires_at: null,
      models: ["*"],
      quota_usd: null,
      ip_ranges: null,
      rpm: null,
      tpm: null,
      concurrency: null,
    });
  });

  test("changes only in the named fields; null removes a limit", async () => {
    const { id } = await make(ada, { quota_usd: "5", rpm: 1, tpm: 2, ip_ranges: ["10.0.0.1"] });

    const first = await ada("PUT", `/api/token/${id}`, { rpm: null, concurrency: 3 });
    const second = await ada("PUT", "/api/token", { id, quota_usd: null, ip_ranges: null });
    const third = await ada("PUT", `/api/token/${id}`, { quota_usd: 7, models: ["o*"] });

    expect(first.data).toMatchObject({ quota_usd: 5, rpm: null, tpm: 2, concurrency: 3 });
    expect(second.data).toMatchObject({ quota_usd: null, ip_ranges: null, tpm: 2 });
    expect(third.data).toMatchObject({ quota_usd: 7, models: ["o*"], concurrency: 3 });
  });

  test("accepts its values back as shown", async () => {
    const { id } = await make(ada, { quota_usd: 3, rpm: 9 });
    const { data } = await ada("GET", `/api/token/${id}`);

    const changed = await ada("PUT", `/api/token/${id}`, { ...data, name: "another name" });

    expect(changed.data).toEqual({ ...data, name: "another name" });
  });

  test("is reported as expired or exhausted", async () => {
    const expired = await make(ada, { expires_at: 1_000 });
    const exhausted = await make(ada, { quota_usd: 0 });

    expect((await ada("GET", `/api/token/${expired.id}`)).data["status"]).toBe(3);
    expect((await ada("GET", `/api/token/${exhausted.id}`)).data["status"]).toBe(4);
  });

  test("[A3.1-c] that is disabled is refused, and accepted again once it is enabled", async () => {
    const { id, key } = await make(ada, { rpm: 60 });

    const off = await ada("PUT", `/api/token?status_only=true`, { id, status: 2, rpm: 1 });
    const refused = await listModels(key);
    const on = await ada("PUT", `/api/token/${id}?status_only=true`, { status: 1 });

    expect(off.data).toMatchObject({ status: 2, rpm: 60 });
    expect(refused.status).toBe(401);
    expect(on.data).toMatchObject({ status: 1 });
    expect((await listModels(key)).status).toBe(200);
  });

  test.each([
    [{ status: 3 }],
    [{ status: 0 }],
    [{ status: "2" }],
    [{ rpm: 0 }],
    [{ rpm: 1.5 }],
    [{ quota_usd: -1 }],
    [{ quota_usd: 1e-10 }],
    [{ quota_usd: "a lot" }],
    [{ ip_ranges: ["10.0.0.0/33"] }],
    [{ ip_ranges: ["example.com"] }],
    [{ ip_ranges: [] }],
    [{ models: ["a*b"] }],
    [{ models: "gpt-4o" }],
    [{ expires_at: "tomorrow" }],
    [{ name: " " }],
    [{ name: "x".repeat(101) }],
    [{ exprires_at: 5 }],
    [{ id: 999_999 }],
  ])("is not changed by %j", async (fields) => {
    const { id } = await make(ada, { rpm: 7 });
    const before = (await ada("GET", `/api/token/${id}`)).data;

    const { status, body } = await ada("PUT", `/api/token/${id}`, fields);

    expect({ status, success: body.success }).toEqual({ status: 400, success: false });
    expect(Object.keys(body)).toEqual(["success", "message"]);
    expect((await ada("GET", `/api/token/${id}`)).data).toEqual(before);
  });

  test("has a unique name", async () => {
    await make(ada, { name: "the only one" });

    const { status, body } = await ada("POST", "/api/token", { name: "the only one" });

    expect(status).toBe(400);
    expect(body.message).toContain("the only one");
    expect((await bob("POST", "/api/token", { name: "the only one" })).status).toBe(200);
  });

  test("is accepted from its networks only", async () => {
    const here = await make(ada, { ip_ranges: ["127.0.0.0/8", "::1"] });
    const elsewhere = await make(ada, { ip_ranges: ["10.0.0.0/8"] });

    expect((await listModels(here.key)).status).toBe(200);
    // Nobody but a proxy that the operator trusts says where a caller is.
    const refused = await listModels(elsewhere.key, { "x-forwarded-for": "10.0.0.1" });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: { code: "forbidden" } });
  });
});

describe("deleting", () => {
  test("[A3.1-a] [A4.1-b] a token: its key is refused at once, and the token is gone", async () => {
    const { id, key } = await make(ada);
    expect((await listModels(key)).status).toBe(200);

    const { status, body } = await ada("DELETE", `/api/token/${id}`);

    expect(status).toBe(200);
    expect(body).toEqual({ success: true, message: expect.any(String) });
    expect((await listModels(key)).status).toBe(401);
    expect((await ada("GET", `/api/token/${id}`)).status).toBe(404);
    expect((await ada("PUT", `/api/token/${id}`, { status: 1 })).status).toBe(404);
    expect((await ada("DELETE", `/api/token/${id}`)).status).toBe(404);
    expect((await listModels(key)).status).toBe(401);
  });

  test("[A4.1-b] another user's token gets the same answer as a token that does not exist", async () => {
    const { id, key } = await make(bob);

    for (const [method, body] of [["GET"], ["PUT", { status: 2 }], ["DELETE"]] as const) {
      const foreign = await ada(method, `/api/token/${id}`, body);
      const unknown = await ada(method, "/api/token/123456789", body);
      expect({ status: foreign.status, body: foreign.body }).toEqual({
        status: 404,
        body: unknown.body,
      });
    }
    expect((await listModels(key)).status).toBe(200);
  });

  test.each(["abc", "0", "-1", "1.5", "9".repeat(30), "%00", "batch"])(
    "[A4.1-b] the id %s belongs to no token",
    async (id) => {
      expect((await ada("DELETE", `/api/token/${id}`)).status).toBe(404);
    },
  );

  test("[A3.1-b] [A4.1-a] several at once; missing tokens and those of others are reported alike", async () => {
    const own = [await make(ada), await make(ada), await make(ada)];
    const foreign = await make(bob);
    const ids = [...own.map(({ id }) => id), foreign.id, 987_654];

    const { status, body } = await ada("POST", "/api/token/batch", { ids: [...ids, own[0]?.id] });

    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      message: "3 of 5 tokens were deleted.",
      data: { deleted: 3, not_deleted: [foreign.id, 987_654] },
    });
    for (const { key } of own) expect((await listModels(key)).status).toBe(401);
    expect((await listModels(foreign.key)).status).toBe(200);
  });

  test.each([
    [{ ids: [] }],
    [{}],
    [{ ids: null }],
    [{ ids: "1" }],
    [{ ids: [1, "2"] }],
    [{ ids: [1.5] }],
    [{ ids: Array.from({ length: 1_001 }, (_, i) => i + 1) }],
  ])("[A4.1-a] batch answers 400 to bad ids", async (body) => {
    expect(await ada("POST", "/api/token/batch", body)).toMatchObject({
      status: 400,
      body: { success: false },
    });
  });

  test("[A4.1-a] a thousand ids are not too many", async () => {
    const ids = Array.from({ length: 1_000 }, (_, i) => 5_000_000 + i);

    const { status, data } = await ada("POST", "/api/token/batch", { ids });

    expect({ status, deleted: data["deleted"] }).toEqual({ status: 200, deleted: 0 });
  });

  test.each([
    ["nothing", {}],
    ["an API key", bearer(KEY)],
    ["a made-up token", bearer("slc-user_0123456789")],
    ["a made-up session", { cookie: "sluice_session=slc-session_0123456789" }],
    ["no Bearer", { authorization: "Basic cm9vdDpyb290" }],
  ])("[A4.1-a] [A4.1-b] [A5-3] is refused with %s", async (_, headers) => {
    const { id, key } = await make(ada);
    const nobody = askWith(opened.url, headers);

    for (const answer of [
      await nobody("DELETE", `/api/token/${id}`),
      await nobody("POST", "/api/token/batch", { ids: [id] }),
      await nobody("GET", "/api/token"),
    ]) {
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual({ success: false, message: expect.any(String) });
    }
    expect((await listModels(key)).status).toBe(200);
  });
});

describe("the list", () => {
  test("has pages, latest first, of the user's own tokens only", async () => {
    const eve = await asUser(opened.url, "eve");
    const ids: number[] = [];
    for (let i = 0; i < 12; i++) ids.unshift((await make(eve)).id);

    const first = await eve("GET", "/api/token");
    const second = await eve("GET", "/api/token/?p=2&page_size=10");
    const third = await eve("GET", "/api/token?p=3");

    const idsOf = (data: typeof first.data) =>
      (data["items"] as { id: number }[]).map(({ id }) => id);
    expect(first.data).toMatchObject({ page: 1, page_size: 10, total: 12 });
    expect([...idsOf(first.data), ...idsOf(second.data)]).toEqual(ids);
    expect(idsOf(third.data)).toEqual([]);
  });

  test.each(["p=0", "p=x", "page_size=101", "page_size=-1"])(
    "refuses the page %s",
    async (query) => {
      expect((await ada("GET", `/api/token?${query}`)).status).toBe(400);
    },
  );
});

test("a path works with a trailing slash, and an unknown one gets its own style's error", async () => {
  expect((await ada("POST", "/api/token/", { name: "with a slash" })).status).toBe(200);
  expect(await ada("PATCH", "/api/token/batch/")).toMatchObject({
    status: 405,
    body: { success: false },
  });
  expect(await ada("GET", "/api/nothing")).toMatchObject({ status: 404, body: { success: false } });
});

test("a user cannot have more tokens than the operator allows", async () => {
  await using small = await openWithRoot({ env: { SLUICE_LIMIT_KEYS_PER_USER: "2" } });
  const ask = await asUser(small.url, "ada");

  const answers = [];
  for (let i = 0; i < 3; i++) answers.push(await ask("POST", "/api/token", { name: `${i}` }));

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
});
