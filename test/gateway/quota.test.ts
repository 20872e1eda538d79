import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { asRoot, asUser, bearer, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import { openBooks } from "#test/books.ts";
import { simulatedChannel, type TestGateway } from "#test/harness.ts";

const MODEL = "gpt-4o-mini";

let sandbox: Sandbox;
let opened: TestGateway;
let root: Ask;
let admin: Ask;
let ada: Ask;
let adasId: number;
let adasKey: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  const channel = simulatedChannel("sim", sandbox.url, `models: [${MODEL}]`);
  opened = await openWithRoot({ yaml: `channels:\n${channel}` });
  root = await asRoot(opened.url);
  admin = await asUser(opened.url, "the-admin", "admin");
  ada = await asUser(opened.url, "ada");
  adasId = Number((await ada("GET", "/api/user/self")).data["id"]);
  adasKey = textIn((await ada("POST", "/api/token", { name: "own" })).data, "key");
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await sandbox.stop();
});

async function call(): Promise<number> {
  const messages = [{ role: "user", content: "hi" }];
  const body = { model: MODEL, max_tokens: 100, messages };
  const answer = await opened.post("/v1/chat/completions", body, bearer(adasKey));
  await answer.text();
  return answer.status;
}

const set = (ask: Ask, id: number | string, quota: unknown, reason: unknown = "a test") =>
  ask("PUT", `/api/user/${id}/quota`, { quota_usd: quota, reason });

describe("a user's quota", () => {
  test("applies to all tokens together, from the moment it is set", async () => {
    expect((await set(admin, adasId, 0)).data).toMatchObject({ quota_usd: 0, left_usd: 0 });
    expect(await call()).toBe(402);

    expect((await set(admin, adasId, "12.5")).data).toMatchObject({ quota_usd: 12.5 });
    expect(await call()).toBe(200);
    const { data } = await ada("GET", "/api/user/self/quota");
    expect(Number(data["used_usd"])).toBeGreaterThan(0);
    expect(data).toEqual({
      user_id: adasId,
      quota_usd: 12.5,
      used_usd: data["used_usd"] ?? null,
      held_usd: 0,
      left_usd: expect.closeTo(12.5 - Number(data["used_usd"]), 9),
      budget_hour_usd: null,
      budget_day_usd: null,
      budget_week_usd: null,
      budget_month_usd: null,
      budgets: [],
    });

    expect((await set(admin, adasId, null)).data).toMatchObject({
      quota_usd: null,
      left_usd: null,
    });
    expect(await call()).toBe(200);
  });

  test("is changed with a reason, and the ledger has the reason and the author", async () => {
    await set(admin, adasId, 7, "paid by invoice 4711");

    using books = openBooks(opened.dataDir);
    const notes = books.entries().map((each) => each["note"]);
    expect(notes).toContain("the-admin: paid by invoice 4711");
    expect(await books.whenSettled()).toEqual([]);
  });

  test("cannot be set by users, nor for users of an equal or higher role; only root sets its own", async () => {
    expect((await set(ada, adasId, 1_000)).status).toBe(403);
    const own = Number((await admin("GET", "/api/user/self")).data["id"]);
    expect((await set(admin, own, 1_000)).status).toBe(403);
    expect((await set(admin, 1, 0)).status).toBe(403);
    expect((await set(root, own, 1_000)).status).toBe(200);
    expect((await set(root, 1, null)).status).toBe(200);
  });

  test("[A5-3] is shown only to the user and to auditors", async () => {
    const auditor = await asUser(opened.url, "watcher", "auditor");

    expect((await auditor("GET", `/api/user/${adasId}/quota`)).data).toMatchObject({
      user_id: adasId,
    });
    for (const id of [1, adasId, 4_711]) {
      expect((await ada("GET", `/api/user/${id}/quota`)).status).toBe(403);
    }
    for (const id of [4_711, "x", "0"]) {
      expect((await auditor("GET", `/api/user/${id}/quota`)).status).toBe(404);
      expect((await set(admin, id, 1)).status).toBe(404);
    }
  });

  test.each([
    [{ quota_usd: 1 }, "reason"],
    [{ reason: "none" }, "quota_usd"],
    [{ quota_usd: -1, reason: "less than nothing" }, "quota_usd"],
    [{ quota_usd: 1, reason: "" }, "reason"],
    [{ quota_usd: 1, reason: "x", add_usd: 1 }, "add_usd"],
  ])("is not changed by %j", async (body, param) => {
    const { status, body: answer } = await admin("PUT", `/api/user/${adasId}/quota`, body);

    expect(status).toBe(400);
    expect(answer.message).toContain(`'${param}'`);
  });
});
