import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import {
  asRoot,
  asUser,
  bearer,
  logIn,
  openWithRoot,
  ROOT,
  textIn,
  type Ask,
} from "#test/accounts.ts";
import { openBooks } from "#test/books.ts";
import { simulatedChannel, type TestGateway } from "#test/harness.ts";

const MODELS = ["gpt-4o-mini", "gpt-4o"] as const;
const EVIL = `<script>alert("x")</script>`;
const thisMonth = new Date().toISOString().slice(0, 7);

let sandbox: Sandbox;
let opened: TestGateway;
let root: Ask;
let ada: Ask;
let bob: Ask;
let ids: { readonly ada: number; readonly bob: number; readonly team: number };
/** Headers of the root user's browser. */
let browser: Record<string, string>;

beforeAll(async () => {
  sandbox = await startSandbox();
  const channel = simulatedChannel("only", sandbox.url, `models: [${MODELS.join(", ")}]`);
  opened = await openWithRoot({ yaml: `channels:\n${channel}` });
  root = await asRoot(opened.url);
  browser = await logIn(opened.url, { email: ROOT.email, password: ROOT.password });
  ada = await asUser(opened.url, "ada");
  bob = await asUser(opened.url, "bob");
  const users = (await root("GET", "/api/user")).data["items"] as JsonObject[];
  const idOf = (name: string): number =>
    Number(users.find((user) => user["username"] === name)?.["id"]);
  const team = Number((await root("POST", "/api/team", { name: EVIL })).data["id"]);
  ids = { ada: idOf("ada"), bob: idOf("bob"), team };
  await root("PUT", `/api/user/${ids.ada}`, { team_id: team });
  await root("PUT", `/api/user/${ids.bob}`, { team_id: team, team_role: "owner" });
  await root("PUT", `/api/user/${ids.ada}/quota`, { quota_usd: 5, reason: EVIL });
  const keys: string[] = [];
  for (const [ask, name] of [
    [ada, "=cmd()"],
    [ada, EVIL],
    [bob, "his"],
  ] as const)
    keys.push(textIn((await ask("POST", "/api/token", { name })).data, "key"));
  await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      const model = i % 11 === 0 ? "no-such-model" : (MODELS[i % 2] ?? MODELS[0]);
      const messages = [{ role: "user", content: "hi ".repeat(1 + (i % 7)) }];
      const body = { model, messages, stream: i % 3 === 0 };
      await (await opened.post("/v1/chat/completions", body, bearer(keys[i % 3] ?? ""))).text();
    }),
  );
  using books = openBooks(opened.dataDir);
  await books.whenSettled();
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await sandbox.stop();
});

/** The amount that the ledger charged an account, as a decimal of dollars. */
function charged(account: string): string {
  using books = openBooks(opened.dataDir);
  const nano = books
    .entries()
    .filter((entry) =>
      [entry["user_account"], ...String(entry["more_accounts"] ?? "").split(" ")].includes(account),
    )
    .reduce((sum, entry) => sum + Number(entry["spent_delta"]), 0);
  return (nano / 1e9).toFixed(9).replace(/\.?0+$/, "");
}

async function page(path: string, accept: string): Promise<Response> {
  return await fetch(opened.url + path, { headers: { ...browser, accept } });
}

test("statements of users and teams have the sums of the ledger", async () => {
  for (const [path, account] of [
    [`user/${ids.ada}`, `user:${ids.ada}`],
    [`user/${ids.bob}`, `user:${ids.bob}`],
    [`team/${ids.team}`, `team:${ids.team}`],
  ] as const) {
    const { data } = await root("GET", `/api/invoice/${path}?month=${thisMonth}`);

    expect([account, data["total_usd"]]).toEqual([account, charged(account)]);
    expect(Number(data["total_usd"])).toBeGreaterThan(0);
    expect(data).toMatchObject({ month: thisMonth, currency: "USD", is_final: false });
  }
});

test("a user's statement has a line for each key and model, and the changes of the quota", async () => {
  const { data } = await ada("GET", "/api/invoice/self");

  const lines = (data["items"] as JsonObject[]).map((line) =>
    [textOf(line["key_name"]), textOf(line["model"]) ?? "null"].join(" "),
  );
  expect(lines.toSorted()).toEqual(
    [EVIL, "=cmd()"].flatMap((key) => ["gpt-4o", "gpt-4o-mini", "null"].map((m) => `${key} ${m}`)),
  );
  expect(data["quota_changes"]).toMatchObject([
    { amount_usd: "5", note: expect.stringContaining(EVIL) },
  ]);
  expect(data["owner"]).toMatchObject({ kind: "user", id: ids.ada });
});

test("a team's statement is for its owners, with a line for each member and model", async () => {
  const { data } = await bob("GET", "/api/invoice/team");

  expect(data["owner"]).toMatchObject({ kind: "team", id: ids.team, name: EVIL });
  const members = (data["items"] as JsonObject[]).map(({ user_name: name }) => name);
  expect(new Set(members)).toEqual(new Set(["ada", "bob"]));
  expect((await ada("GET", "/api/invoice/team")).status).toBe(404);
  for (const path of [`user/${ids.ada}`, `team/${ids.team}`])
    expect((await bob("GET", `/api/invoice/${path}`)).status).toBe(403);
});

test("a statement as CSV has the same sums, and no formulas", async () => {
  const response = await page(`/api/invoice/user/${ids.ada}`, "text/csv");
  const [head = "", ...rows] = (await response.text()).trimEnd().split("\r\n");

  expect(response.headers.get("content-disposition")).toContain(
    `statement-user-${ids.ada}-${thisMonth}.csv`,
  );
  expect(head).toStartWith("month,user,key_id,key_name,model,calls,");
  expect(rows.at(-1)).toEndWith(`,${charged(`user:${ids.ada}`)}`);
  expect(rows.filter((row) => row.includes("'=cmd()"))).toHaveLength(3);
});

test("a statement as HTML runs no script and escapes names", async () => {
  const response = await page(`/api/invoice/team/${ids.team}`, "text/html,application/xhtml+xml");
  const html = await response.text();
  const ofAda = await (await page(`/api/invoice/user/${ids.ada}?format=html`, "*/*")).text();

  const policy = response.headers.get("content-security-policy") ?? "";
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(policy).toStartWith("default-src 'none'; style-src 'sha256-");
  expect(policy).not.toContain("unsafe");
  for (const text of [html, ofAda]) {
    expect(text).not.toContain("<script");
    expect(text).toContain("&lt;script&gt;alert(&quot;x&quot;)");
  }
  expect(html).toContain(`>${charged(`team:${ids.team}`)}</td>`);
});

test.each(["month=2026-13", "month=2999-01", "month=2001-01", "format=pdf"])(
  "a statement with %s is refused",
  async (query) => {
    expect((await root("GET", `/api/invoice/user/${ids.ada}?${query}`)).status).toBe(400);
  },
);

test("there is no statement of a user or team that does not exist", async () => {
  for (const path of ["user/4711", "team/4711", "user/x"])
    expect((await root("GET", `/api/invoice/${path}`)).status).toBe(404);
});

test("usage, statements and the own user show a second currency, if one is set", async () => {
  const name = "/api/setting/display.currency";
  expect((await root("GET", "/api/user/self")).data["display"]).toBeNull();
  expect((await root("PUT", name, { value: "USD" })).status).toBe(400);
  await root("PUT", name, { value: "EUR=0.5" });

  const display = { currency: "EUR", rate: "0.5" };
  const half = (usd: unknown): string => (Number(usd) / 2).toFixed(9).replace(/\.?0+$/, "");
  for (const path of ["/api/usage?by=model", `/api/invoice/team/${ids.team}`]) {
    const { data } = await root("GET", path);
    expect(data["display"]).toEqual(display);
    for (const sum of [data["total"] as JsonObject, ...(data["items"] as JsonObject[])])
      expect(Number(sum["cost_display"])).toBeCloseTo(Number(half(sum["cost_usd"])), 8);
  }
  expect((await ada("GET", "/api/user/self")).data["display"]).toEqual(display);
  const csv = await (await page("/api/usage?by=model", "text/csv")).text();
  expect(csv.split("\r\n")[0]).toEndWith(",cost_usd,cost_eur");
  const html = await (await page(`/api/invoice/team/${ids.team}`, "text/html")).text();
  expect(html).toContain('<th class="number">EUR</th>');
  expect(html).toContain("shown in EUR at 0.5 for one dollar");

  await root("DELETE", name);
  const { data } = await root("GET", "/api/usage");
  expect(data["total"]).not.toHaveProperty("cost_display");
});
