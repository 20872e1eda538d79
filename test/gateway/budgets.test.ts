import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { memberOf } from "#lib/values.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { asRoot, asUser, bearer, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import { openBooks } from "#test/books.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { waitFor } from "#test/wait.ts";
import { simulatedChannel, type TestGateway } from "#test/harness.ts";

const MODEL = "gpt-4o-mini";

const FILE_KEY = "a-key-of-the-file-0123456789";
const FILE_KEYS = `
keys:
  - name: ci
    key: ${FILE_KEY}
    user: robot
    team: Сборка
    budgets: { day: 5, month: { amount: 0, warn: 0, start_day: 15 } }
`;

let sandbox: Sandbox;
let opened: TestGateway;
let admin: Ask;
let auditor: Ask;
beforeAll(async () => {
  sandbox = await startSandbox();
  const channel = simulatedChannel("sim", sandbox.url, `models: [${MODEL}]`);
  opened = await openWithRoot({ yaml: `channels:\n${channel}\n${FILE_KEYS}` });
  admin = await asUser(opened.url, "the-admin", "admin");
  auditor = await asUser(opened.url, "the-auditor", "auditor");
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await sandbox.stop();
});

interface Somebody {
  readonly ask: Ask;
  readonly id: number;
  readonly tokenId: number;
  /** A call with a token of theirs, and why it was refused. */
  call(stream?: boolean): Promise<{ readonly status: number; readonly message: string }>;
}

async function somebody(name: string, fields: object = {}): Promise<Somebody> {
  const ask = await asUser(opened.url, name);
  const id = Number((await ask("GET", "/api/user/self")).data["id"]);
  const { data } = await ask("POST", "/api/token", { name: "own", ...fields });
  const key = textIn(data, "key");
  return {
    ask,
    id,
    tokenId: Number(data["id"]),
    async call(stream = false) {
      const messages = [{ role: "user", content: "hi" }];
      const body = { model: MODEL, max_tokens: 100, messages, stream };
      const answer = await opened.post("/v1/chat/completions", body, bearer(key));
      const text = await answer.text();
      if (answer.status === 200) return { status: 200, message: "" };
      return { status: answer.status, message: JSON.parse(text).error.message };
    },
  };
}

/** Unix seconds. */
function tomorrow(): number {
  const day = new Date().toISOString().slice(0, 10);
  return Date.parse(day) / 1_000 + 86_400;
}

const budgetsIn = (data: JsonObject): JsonObject[] => data["budgets"] as JsonObject[];

describe("a token's budget", () => {
  test("refuses calls beyond it in the format of the style, and reports when it resets", async () => {
    const { ask, call, tokenId } = await somebody("tia", { budget_day_usd: "0" });

    const refused = await call();
    const shown = await ask("PUT", `/api/token/${tokenId}`, { budget_day_usd: 0.5 });

    expect(refused.status).toBe(402);
    const anew = new Date(tomorrow() * 1_000).toISOString().slice(0, 10);
    expect(refused.message).toContain("the daily budget of this key");
    expect(refused.message).toContain(`resets on ${anew}`);
    expect(shown.data).toMatchObject({ budget_day_usd: 0.5, budget_month_usd: null });
    expect((await call()).status).toBe(200);
    await ask("PUT", `/api/token/${tokenId}`, { budget_month_usd: 0 });
    expect((await call()).message).toContain("the monthly budget of this key");
    await ask("PUT", `/api/token/${tokenId}`, { budget_month_usd: null });
    expect((await call(true)).status).toBe(200);
  });

  test("is also applied by an explanation, before the first call", async () => {
    const { ask } = await somebody("tea");
    const { data } = await ask("POST", "/api/token", { name: "none", budget_month_usd: 0 });
    const question = { model: MODEL, max_tokens: 9, messages: [{ role: "user", content: "hi" }] };

    const answer = await opened.post(
      "/api/explain",
      { path: "/v1/chat/completions", body: question },
      bearer(textIn(data, "key")),
    );

    expect(await answer.json()).toMatchObject({
      data: {
        refused: {
          status: 402,
          message: expect.stringContaining("the monthly budget of this key"),
        },
      },
    });
    using books = openBooks(opened.dataDir);
    const accounts = books.accounts().map((account) => String(account["id"]));
    expect(accounts.filter((id) => id.startsWith(`key:${Number(data["id"])}`))).toEqual([]);
  });

  test("is shown as it was set, and survives other changes", async () => {
    const fields = { budget_day_usd: 1.25, budget_month_usd: 12.345_678_901 };
    const { ask, tokenId } = await somebody("tom", fields);

    await ask("PUT", `/api/token/${tokenId}`, { rpm: 5 });

    const { data } = await ask("GET", "/api/token");
    expect(data["items"]).toMatchObject([{ id: tokenId, ...fields, rpm: 5 }]);
  });

  test("may have several periods with terms of their own, which changes keep", async () => {
    const month = { period: "month", amount_usd: 12, start_day: 15, time_zone: "Asia/Shanghai" };
    const { ask, tokenId } = await somebody("ted", {
      budget_hour_usd: 1,
      budgets: [month, { period: "week", warn_usd: "3.5" }],
    });

    const changed = await ask("PUT", `/api/token/${tokenId}`, {
      budgets: [{ period: "month", warn_usd: 9 }],
      budget_hour_usd: null,
      budget_day_usd: 2,
    });

    expect(budgetsIn(changed.data)).toMatchObject([
      { ...month, warn_usd: 9, left_usd: 12, used_usd: 0, is_warning: false, raises: [] },
      { period: "week", amount_usd: null, warn_usd: 3.5, left_usd: null },
      { period: "day", amount_usd: 2, warn_usd: null, start_day: 1, time_zone: "UTC" },
    ]);
    expect(changed.data).toMatchObject({ budget_month_usd: 12, budget_week_usd: null });
    // What is shown may be sent back.
    const back = await ask("PUT", `/api/token/${tokenId}`, {
      budgets: budgetsIn(changed.data),
    });
    expect(budgetsIn(back.data)).toEqual(budgetsIn(changed.data));
  });

  test.each([
    [{ budgets: [{ period: "year", amount_usd: 1 }] }, "period"],
    [{ budgets: [{ period: "month", amount_usd: 1, start_day: 29 }] }, "start_day"],
    [{ budgets: [{ period: "day", amount_usd: 1, time_zone: "Mars/Olympus" }] }, "time_zone"],
    [{ budgets: [{ period: "day" }, { period: "day" }] }, "twice"],
    [{ budgets: [{ period: "day", amount_usd: 1 }], budget_day_usd: 2 }, "differ"],
    [{ budgets: [{ period: "day", limit: 1 }] }, "budgets[0]"],
  ])("with %j is refused", async (fields, complaint) => {
    const { status, body } = await admin("POST", "/api/token", { name: "x", ...fields });
    expect(status).toBe(400);
    expect(body.message).toContain(complaint);
  });

  test("that only warns serves its calls, with a header once the amount is reached", async () => {
    const { ask, tokenId } = await somebody("una-warned");
    await ask("PUT", `/api/token/${tokenId}`, {
      budgets: [{ period: "month", warn_usd: "0.000000001" }],
    });
    const { data } = await ask("POST", "/api/token", {
      name: "warned",
      budgets: [{ period: "month", warn_usd: "0.000000001" }],
    });
    const warning = async (): Promise<string | null> => {
      const messages = [{ role: "user", content: "hi" }];
      const body = { model: MODEL, max_tokens: 100, messages };
      const answer = await opened.post("/v1/chat/completions", body, bearer(textIn(data, "key")));
      expect(answer.status).toBe(200);
      return answer.headers.get("sluice-budget-warning");
    };
    expect(await warning()).toBeNull();

    await waitFor(async () => (await warning()) !== null);

    expect(await warning()).toBe("key/month");
    const shown = await ask("GET", `/api/token/${Number(data["id"])}`);
    expect(budgetsIn(shown.data)).toMatchObject([{ is_warning: true, left_usd: null }]);
  });

  test("is raised until a time, with a reason that the audit log has", async () => {
    const { ask, call, tokenId } = await somebody("ray", { budget_day_usd: 0 });
    const path = `/api/token/${tokenId}/raise`;
    const until = Math.floor(Date.now() / 1_000) + 3_600;
    const raise = { period: "day", add_usd: 1, until, reason: "the launch" };
    expect((await call()).status).toBe(402);

    const raised = await ask("POST", path, raise);

    expect((await call()).status).toBe(200);
    const [day] = budgetsIn(raised.data);
    expect(day).toMatchObject({
      amount_usd: 0,
      limit_usd: 1,
      raises: [{ id: raised.data["raise"], add_usd: 1, until, reason: "the launch", by: "ray" }],
    });
    const audit = await admin("GET", "/api/audit?page_size=50");
    expect(JSON.stringify(audit.data)).toContain('"reason":"the launch"');
    const other = await somebody("rex");
    expect((await other.ask("POST", path, raise)).status).toBe(404);
    expect((await ask("POST", path, { ...raise, period: "week" })).status).toBe(400);
    expect((await ask("POST", path, { ...raise, until: until - 7_200 })).status).toBe(400);
    expect((await ask("POST", path, { ...raise, add_usd: 0 })).status).toBe(400);

    const end = `${path}/${textIn(raised.data, "raise")}`;
    expect((await ask("DELETE", end)).status).toBe(200);
    expect((await ask("DELETE", end)).status).toBe(404);
    expect((await call()).status).toBe(402);
  });

  test.each([[-1], [1e-10], ["a lot"], ["NaN"], ["1".repeat(25)], [1e10], [[]], [{}]])(
    "%j as a budget is refused",
    async (amount) => {
      for (const field of ["budget_day_usd", "budget_month_usd"]) {
        const { status, body } = await admin("POST", "/api/token", { name: "x", [field]: amount });
        expect(status).toBe(400);
        expect(body.message).toContain(`'${field}'`);
      }
    },
  );
});

describe("a user's budgets", () => {
  test("apply to all tokens together, and show the rest and the time of the reset", async () => {
    const { ask, id, call } = await somebody("uma");
    const set = (fields: object) =>
      admin("PUT", `/api/user/${id}/quota`, { ...fields, reason: "a test" });

    expect((await set({ budget_day_usd: 0 })).data).toMatchObject({ budget_day_usd: 0 });
    const refused = await call();
    await set({ budget_day_usd: 2, budget_month_usd: "30" });
    expect((await call()).status).toBe(200);

    expect(refused.message).toContain("the daily budget of the owner of this key");
    const { data } = await ask("GET", "/api/user/self/quota");
    const used = Number(data["used_usd"]);
    expect(used).toBeGreaterThan(0);
    expect(data).toMatchObject({ quota_usd: null, budget_day_usd: 2, budget_month_usd: 30 });
    expect(budgetsIn(data)).toMatchObject([
      { period: "month", amount_usd: 30, used_usd: used, left_usd: expect.closeTo(30 - used, 9) },
      { period: "day", amount_usd: 2, used_usd: used, held_usd: 0, resets_at: tomorrow() },
    ]);
    await set({ budget_day_usd: null, budget_month_usd: null });
    expect((await ask("GET", "/api/user/self/quota")).data).toMatchObject({ budgets: [] });
    using books = openBooks(opened.dataDir);
    expect(await books.whenSettled()).toEqual([]);
  });
});

test("a key of the file belongs to a user and a team that it names, and has budgets", async () => {
  const messages = [{ role: "user", content: "hi" }];
  const body = { model: MODEL, max_tokens: 100, messages };

  const refused = await opened.post("/v1/chat/completions", body, bearer(FILE_KEY));

  expect(refused.status).toBe(402);
  expect(JSON.stringify(await refused.json())).toContain("the monthly budget of this key");
  const [robot] = (await auditor("GET", "/api/user?q=robot")).data["items"] as JsonObject[];
  expect(robot).toMatchObject({ username: "robot", role: "user", team_id: null });
  const [team] = (await auditor("GET", "/api/team?q=СБОРКА")).data["items"] as JsonObject[];
  expect(team).toMatchObject({ name: "Сборка", quota_usd: null });
  const keys = await auditor("GET", `/api/user/${Number(robot?.["id"])}/token`);
  expect(keys.data["items"]).toMatchObject([
    {
      name: "ci",
      budget_day_usd: 5,
      budgets: [{ period: "month", warn_usd: 0, start_day: 15 }, {}],
    },
  ]);
});

describe("a raise of the budget of a user or a team", () => {
  test("is granted by an admin above the user, and binds all keys", async () => {
    const { ask, id, call } = await somebody("uri");
    const team = await admin("POST", "/api/team", { name: "raised", budget_week_usd: 0 });
    await admin("PUT", `/api/user/${id}`, { team_id: team.data["id"] });
    await admin("PUT", `/api/user/${id}/quota`, { budget_month_usd: 0, reason: "a test" });
    const until = Math.floor(Date.now() / 1_000) + 3_600;
    const raise = { add_usd: 1, until, reason: "x" };
    const ofUser = `/api/user/${id}/quota/raise`;
    const ofTeam = `/api/team/${Number(team.data["id"])}/raise`;
    expect((await ask("POST", ofUser, { period: "month", ...raise })).status).toBe(403);

    await admin("POST", ofUser, { period: "month", ...raise });
    expect((await call()).message).toContain("the weekly budget of the team of this key");
    const { data } = await admin("POST", ofTeam, { period: "week", ...raise });

    expect((await call()).status).toBe(200);
    expect(budgetsIn(data)).toMatchObject([{ period: "week", limit_usd: 1, left_usd: 1 }]);
    await admin("PUT", `/api/user/${id}`, { team_id: null });
  });
});

describe("a team", () => {
  test("has an account that its members share", async () => {
    const made = await admin("POST", "/api/team", { name: "red", quota_usd: 0 });
    const id = Number(made.data["id"]);
    const members = [await somebody("mia"), await somebody("max")];

    for (const member of members) {
      const put = await admin("PUT", `/api/user/${member.id}`, { team_id: id });
      expect(put.data).toMatchObject({ team_id: id });
      expect((await member.call()).message).toContain("the quota of the team of this key");
    }
    await admin("POST", `/api/team/${id}/quota`, { add_usd: "5", note: "for both" });
    for (const { call } of members) expect((await call()).status).toBe(200);

    const shown = await auditor("GET", `/api/team/${id}/quota`);
    expect(shown.data).toMatchObject({ team_id: id, quota_usd: 5 });
    const uses = await Promise.all(members.map(({ ask }) => ask("GET", "/api/user/self/quota")));
    const sum = uses.reduce((total, { data }) => total + Number(data["used_usd"]), 0);
    expect(shown.data["used_usd"]).toBeCloseTo(sum, 9);
    const changed = await admin("PUT", `/api/team/${id}`, { name: "crimson", budget_day_usd: 0 });
    expect(changed.data).toMatchObject({ name: "crimson", quota_usd: 5, budget_day_usd: 0 });
    expect((await members[0]?.call())?.message).toContain(
      "the daily budget of the team of this key",
    );

    expect((await admin("DELETE", `/api/team/${id}`)).status).toBe(400);
    for (const member of members) await admin("PUT", `/api/user/${member.id}`, { team_id: null });
    expect((await members[1]?.call())?.status).toBe(200);
    expect((await admin("DELETE", `/api/team/${id}`)).status).toBe(200);
    expect((await auditor("GET", `/api/team/${id}`)).status).toBe(404);
    using books = openBooks(opened.dataDir);
    expect(await books.whenSettled()).toEqual([]);
  });

  test("gets $500 a month and ten members in one request", async () => {
    const names = Array.from({ length: 10 }, (_, i) => `teammate-${i}`);
    for (const username of names) await admin("POST", "/api/user", { username });
    const members = names.map((username, i) => ({
      username,
      ...(i === 0 ? { role: "owner" } : { budget_day_usd: 20 }),
    }));

    const made = await admin("POST", "/api/team", {
      name: "研究チーム",
      budget_month_usd: 500,
      members,
    });
    const shown = await admin("GET", `/api/team/${Number(made.data["id"])}/member`);

    expect(made.data).toMatchObject({ name: "研究チーム", budget_month_usd: 500 });
    expect(shown.data["items"]).toMatchObject(
      members.map(({ username, ...rest }) => ({ role: "member", username, ...rest })),
    );
    const [first] = shown.data["items"] as JsonObject[];
    expect(first).toMatchObject({ used_day_usd: 0, used_month_usd: 0, budgets: [] });
    const found = await auditor("GET", `/api/team?q=${encodeURIComponent("研究")}`);
    expect(found.data["items"]).toMatchObject([{ name: "研究チーム", budget_month_usd: 500 }]);
    const members7 = await admin("GET", `/api/team/${Number(made.data["id"])}/member?q=MATE-7`);
    expect(members7.data["items"]).toMatchObject([{ username: "teammate-7" }]);
  });

  test("refuses members that do not exist, are in another team, or have no lower role", async () => {
    await admin("POST", "/api/user", { username: "taken" });
    await admin("POST", "/api/team", { name: "theirs", members: [{ username: "taken" }] });
    const refusal = async (member: object, more = {}): Promise<unknown[]> => {
      const body = { name: "never", members: [member], ...more };
      const { status, body: answer } = await admin("POST", "/api/team", body);
      return [status, answer.message];
    };

    expect(await refusal({ username: "none" })).toEqual([
      400,
      expect.stringContaining("not a user"),
    ]);
    expect(await refusal({ user_id: 1 })).toEqual([403, expect.stringContaining("role")]);
    expect(await refusal({})).toEqual([400, expect.stringContaining("members[0]")]);
    expect(await refusal({ username: "taken" })).toEqual([
      400,
      expect.stringContaining("another team"),
    ]);
    const { data } = await auditor("GET", "/api/team?q=never");
    expect(data["items"]).toEqual([]);
    const moved = await admin("POST", "/api/team", {
      name: "ours",
      members: [{ username: "taken" }],
      move: true,
    });
    expect(moved.status).toBe(200);
  });

  test("is managed by its owner, within bounds; other users do not see it", async () => {
    const owner = await somebody("ona");
    const member = await somebody("mel");
    const other = await somebody("odd");
    const made = await admin("POST", "/api/team", {
      name: "owned",
      members: [{ user_id: owner.id, role: "owner" }, { user_id: member.id }],
    });
    const team = `/api/team/${Number(made.data["id"])}`;
    const path = `${team}/member/${member.id}`;

    const limited = await owner.ask("PUT", path, { budget_week_usd: 0 });

    expect(limited.data).toMatchObject({ username: "mel", budget_week_usd: 0 });
    expect((await member.call()).message).toContain(
      "the weekly budget of the owner of this key in the team",
    );
    const until = Math.floor(Date.now() / 1_000) + 60;
    const raise = { period: "week", add_usd: 1, until, reason: "x" };
    expect((await owner.ask("POST", `${path}/raise`, raise)).status).toBe(200);
    expect((await member.call()).status).toBe(200);
    const list = await owner.ask("GET", `${team}/member`);
    const [, shown] = list.data["items"] as JsonObject[];
    expect(Number(shown?.["used_day_usd"])).toBeGreaterThan(0);
    expect(shown?.["used_day_usd"]).toBe(shown?.["used_month_usd"] ?? null);

    expect((await owner.ask("PUT", path, { role: "owner" })).status).toBe(403);
    expect((await owner.ask("POST", `${team}/member`, { members: [] })).status).toBe(403);
    const remove = (ask: Ask, ids: number[]) =>
      ask("POST", `${team}/member/batch`, { user_ids: ids });
    expect((await remove(owner.ask, [owner.id])).status).toBe(403);
    for (const ask of [other.ask, member.ask]) {
      expect((await ask("GET", `${team}/member`)).status).toBe(404);
      expect((await ask("PUT", path, { budget_week_usd: 9 })).status).toBe(404);
    }
    expect((await auditor("GET", path)).data).toMatchObject({ role: "member" });
    expect((await auditor("PUT", path, { budget_week_usd: 9 })).status).toBe(403);
    expect((await admin("PUT", path, { role: "owner" })).data).toMatchObject({ role: "owner" });
    const removed = await remove(admin, [member.id, other.id]);
    expect(removed.data).toEqual({ removed: [member.id], not_removed: [other.id] });
    expect((await owner.ask("GET", path)).status).toBe(404);
  });

  test("is listed with others, and has a unique name", async () => {
    const first = await admin("POST", "/api/team", { name: "first" });
    const second = await admin("POST", "/api/team", { name: "second", budget_month_usd: 9 });
    const { id } = first.data;

    const { data } = await auditor("GET", `/api/team?after=${Number(id) - 1}`);

    expect(data["items"]).toMatchObject([{ id, name: "first" }, { name: "second" }]);
    expect(second.data).toMatchObject({ quota_usd: null, budget_month_usd: 9 });
    const again = await admin("PUT", `/api/team/${Number(id)}`, { name: "second", quota_usd: 3 });
    expect(again.status).toBe(400);
    expect((await auditor("GET", `/api/team/${Number(id)}`)).data).toMatchObject({
      quota_usd: null,
    });
  });

  test.each([
    ["POST", "/api/team", { name: "" }, 400],
    ["POST", "/api/team", { name: " x" }, 400],
    ["POST", "/api/team", {}, 400],
    ["POST", "/api/team", { name: "x", budget_usd: 1 }, 400],
    ["PUT", "/api/team/4711", { name: "x" }, 404],
    ["DELETE", "/api/team/4711", undefined, 404],
    ["POST", "/api/team/4711/quota", { add_usd: 1, note: "x" }, 404],
  ])("%s %s with %j is refused", async (method, path, body, status) => {
    expect((await admin(method, path, body)).status).toBe(status);
  });

  test("that does not exist accepts no member", async () => {
    const { id } = await somebody("lone");

    const refused = await admin("PUT", `/api/user/${id}`, { team_id: 4_711, status: 2 });

    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain("team");
    const { data } = await auditor("GET", `/api/user?after=${id - 1}`);
    expect(data["items"]).toMatchObject([{ id, team_id: null, status: 1 }]);
  });
});

describe("a top-up", () => {
  const topUp = (id: number, body: object, headers = {}) =>
    admin("POST", `/api/user/${id}/quota`, { note: "a test", ...body }, headers);

  async function withQuota(name: string, quota: number): Promise<number> {
    const { data } = await admin("POST", "/api/user", { username: name, quota_usd: quota });
    return Number(data["id"]);
  }

  test("adds or removes money, and is in the ledger with its note and its author", async () => {
    const id = await withQuota("una", 1);

    const added = await topUp(id, { add_usd: "0.000000005", note: "invoice 4711" });
    const taken = await topUp(id, { add_usd: -1, note: "a mistake" });

    expect(added.data).toMatchObject({ quota_usd: 1.000_000_005, left_usd: 1.000_000_005 });
    expect(taken.data).toMatchObject({ quota_usd: 0.000_000_005 });
    const { data } = await auditor("GET", `/api/user/${id}/quota/history`);
    expect(data["items"]).toMatchObject([
      { change_usd: -1, bound: "kept", note: "the-admin: a mistake" },
      { change_usd: 0.000_000_005, bound: "kept", note: "the-admin: invoice 4711" },
      { change_usd: 1, bound: "given" },
    ]);
  });

  test("that is repeated with its operation id counts once, in each notation of the id", async () => {
    const id = await withQuota("ute", 1);
    const named = { add_usd: 2, operation: "invoice-1" };
    const header = { "idempotency-key": "invoice-1" };

    const answers = await Promise.all([
      topUp(id, named),
      topUp(id, named),
      topUp(id, { add_usd: 2 }, header),
      topUp(id, named, header),
    ]);
    const other = await topUp(id, { add_usd: 3, operation: "invoice-1" });
    const torn = await topUp(id, named, { "idempotency-key": "invoice-2" });

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const messages = answers.map(({ body }) => body.message);
    expect(messages.filter((message) => message === "Done.")).toHaveLength(1);
    expect(answers[0]?.data).toMatchObject({ quota_usd: 3, operation: "invoice-1" });
    expect([other.status, torn.status]).toEqual([422, 400]);
    const someoneElse = await withQuota("ulf", 1);
    expect((await topUp(someoneElse, named)).data).toMatchObject({ quota_usd: 3 });
    expect((await admin("GET", `/api/user/${id}/quota`)).data).toMatchObject({ quota_usd: 3 });
  });

  test("counts beside 49 concurrent ones", async () => {
    const id = await withQuota("ula", 1);

    const answers = await Promise.all(Array.from({ length: 50 }, () => topUp(id, { add_usd: 1 })));

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect((await admin("GET", `/api/user/${id}/quota`)).data).toMatchObject({ quota_usd: 51 });
  });

  test("is refused for equal and higher roles, and for oneself except root", async () => {
    const own = Number((await admin("GET", "/api/user/self")).data["id"]);
    const root = await asRoot(opened.url);

    expect((await topUp(own, { add_usd: 1 })).status).toBe(403);
    expect((await topUp(1, { add_usd: 1 })).status).toBe(403);
    await root("PUT", "/api/user/1/quota", { quota_usd: 5, reason: "a bound" });
    const { status } = await root("POST", "/api/user/1/quota", { add_usd: 1, note: "more" });
    expect(status).toBe(200);
    await root("PUT", "/api/user/1/quota", { quota_usd: null, reason: "no bound" });
    expect((await topUp(4_711, { add_usd: 1 })).status).toBe(404);
  });

  test.each([
    [{ add_usd: 0 }, "add_usd"],
    [{ add_usd: null }, "add_usd"],
    [{}, "add_usd"],
    [{ add_usd: "NaN" }, "add_usd"],
    [{ add_usd: "--1" }, "add_usd"],
    [{ add_usd: "-" }, "add_usd"],
    [{ add_usd: 1e-10 }, "add_usd"],
    [{ add_usd: 1e10 }, "add_usd"],
    [{ add_usd: "1".repeat(25) }, "add_usd"],
    [{ add_usd: 1, note: "" }, "note"],
    [{ add_usd: 1, quota_usd: 1 }, "quota_usd"],
    [{ add_usd: 1, operation: "two words" }, "operation"],
    [{ add_usd: -8 }, "become negative"],
    [{ add_usd: 9_007_195 }, "exceed its maximum"],
  ])("of %j is refused", async (body, complaint) => {
    const id = await withQuota(`v${Math.random().toString(36).slice(2)}`, 7);

    const { status, body: answer } = await topUp(id, body);

    expect(status).toBe(400);
    expect(answer.message).toContain(complaint);
    expect((await admin("GET", `/api/user/${id}/quota`)).data).toMatchObject({ quota_usd: 7 });
  });
});

describe("the history of quota grants", () => {
  test("is read page by page by its owner; auditors read that of all users", async () => {
    const { ask, id } = await somebody("wil");
    const reasons = ["one", "two", "three"];
    for (const [i, reason] of reasons.entries()) {
      await admin("PUT", `/api/user/${id}/quota`, { quota_usd: i + 1, reason });
    }
    const page = async (who: Ask, path: string): Promise<JsonObject[]> =>
      (await who("GET", path)).data["items"] as JsonObject[];

    const first = await page(ask, "/api/user/self/quota/history?page_size=2");
    const last = textIn(first[1] ?? {}, "id");
    const rest = await page(ask, `/api/user/self/quota/history?before=${last}`);

    const notes = [...first, ...rest].map(({ note }) => note);
    expect(notes).toEqual(reasons.toReversed().map((reason) => `the-admin: ${reason}`));
    expect(await page(auditor, `/api/user/${id}/quota/history`)).toEqual([...first, ...rest]);
    expect((await ask("GET", `/api/user/${id}/quota/history`)).status).toBe(403);
    expect((await auditor("GET", "/api/user/4711/quota/history")).status).toBe(404);
  });
});

describe("a budget of all callers together", () => {
  test("refuses everyone beyond it, and can be raised", async () => {
    const [one, other] = [await somebody("gus"), await somebody("gil")];
    expect((await one.call()).status).toBe(200);
    const path = "/api/gateway/budget";
    await admin("PUT", path, { budget_month_usd: 0 });

    for (const { call } of [one, other]) {
      const refused = await call();
      expect(refused.status).toBe(402);
      expect(refused.message).toContain("the monthly budget of all callers together");
    }
    const raise = { period: "month", add_usd: 1, until: tomorrow() + 86_400, reason: "launch" };
    const raised = await admin("POST", `${path}/raise`, raise);
    expect((await other.call()).status).toBe(200);
    await admin("DELETE", `${path}/raise/${textIn(raised.data, "raise")}`);
    expect((await other.call()).status).toBe(402);
    await admin("PUT", path, { budget_month_usd: null });
    expect((await one.call()).status).toBe(200);
  });

  test("that only warns refuses none, and shows on the first page and in alerts", async () => {
    const { ask, call } = await somebody("gia");
    const path = "/api/gateway/budget";
    const soft = { period: "day", amount_usd: null, warn_usd: 0.000001 };
    await admin("PUT", path, { budgets: [soft] });

    expect((await call()).status).toBe(200);
    expect((await call()).status).toBe(200);
    using books = openBooks(opened.dataDir);
    await books.whenSettled();

    const shown = budgetsIn((await auditor("GET", path)).data);
    expect(shown).toMatchObject([{ period: "day", amount_usd: null, is_warning: true }]);
    const home = (await auditor("GET", "/api/home")).data;
    expect(home["budgets"]).toMatchObject([{ period: "day", amount_usd: null }]);
    expect(memberOf(home["problems"], "budgets")).toContainEqual(
      expect.objectContaining({ owner: "the gateway", period: "day" }),
    );
    // Its amounts are not for members.
    expect((await ask("GET", path)).status).toBe(403);
    expect((await ask("GET", "/api/home")).data["budgets"]).toBeNull();
    expect((await auditor("PUT", path, {})).status).toBe(403);
    await admin("PUT", path, { budgets: [{ period: "day", amount_usd: null, warn_usd: null }] });
    expect(budgetsIn((await admin("GET", path)).data)).toEqual([]);
  });
});

describe.if(isPostgresReachable || process.env["CI"] !== undefined)("on PostgreSQL", () => {
  test("a budget of all callers binds every gateway, and amounts show in a second currency", async () => {
    await using database = await openScratchDatabase();
    const secret = "one-secret-for-all-gateways-0123456789";
    const env = { DATABASE_URL: database.url, SLUICE_SECRET: secret };
    const yaml = `display: { currency: EUR=0.5 }
channels:
${simulatedChannel("sim", sandbox.url, `models: [${MODEL}]`)}`;
    await using first = await openWithRoot({ yaml, env });
    await using second = await openWithRoot({ yaml, env });
    const root = await asRoot(first.url);
    const { data } = await root("POST", "/api/token", { name: "own" });
    const call = async ({ post }: TestGateway): Promise<number> => {
      const body = { model: MODEL, max_tokens: 100, messages: [{ role: "user", content: "hi" }] };
      const answer = await post("/v1/chat/completions", body, bearer(textIn(data, "key")));
      await answer.text();
      return answer.status;
    };
    const path = "/api/gateway/budget";

    expect(await call(second)).toBe(200);
    await root("PUT", path, { budget_month_usd: 0, budgets: [{ period: "day", warn_usd: 1 }] });
    await waitFor(async () => (await call(second)) === 402);
    const raise = { period: "month", add_usd: 1, until: tomorrow() + 86_400, reason: "launch" };
    await root("POST", `${path}/raise`, raise);
    await waitFor(async () => (await call(second)) === 200);

    expect((await root("GET", path)).data).toMatchObject({
      budgets: [
        { period: "month", amount_usd: 0, limit_usd: 1 },
        { period: "day", amount_usd: null, warn_usd: 1 },
      ],
    });
    await waitFor(async () => Number(totalOf(await root("GET", "/api/usage"))["calls"]) > 1);
    const { cost_usd: cost, cost_display: shown } = totalOf(await root("GET", "/api/usage"));
    expect(Number(shown)).toBeCloseTo(Number(cost) / 2, 8);
    expect((await root("GET", "/api/user/self")).data["display"]).toMatchObject({
      currency: "EUR",
    });
  });
});

function totalOf({ data }: { readonly data: JsonObject }): JsonObject {
  return data["total"] as JsonObject;
}
