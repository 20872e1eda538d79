import { afterAll, beforeAll, expect, test } from "bun:test";
import { askWith, logIn, openWithRoot, PASSWORD, ROOT, type Ask } from "#test/accounts.ts";
import type { TestGateway } from "#test/harness.ts";

let opened: TestGateway;
let root: Ask;
let rootHeaders: Record<string, string>;
beforeAll(async () => {
  opened = await openWithRoot();
  rootHeaders = await logIn(opened.url, ROOT);
  root = askWith(opened.url, rootHeaders);
});
afterAll(() => opened[Symbol.asyncDispose]());

async function newUser(username: string, more: object = {}): Promise<Ask> {
  await root("POST", "/api/user", { username, password: PASSWORD, quota_usd: 1, ...more });
  return askWith(opened.url, await logIn(opened.url, { username, password: PASSWORD }));
}

test("an admin creates codes, a user redeems one, and the list shows who redeemed it", async () => {
  const admin = await newUser("admin", { role: "admin" });
  const ada = await newUser("ada");
  const made = await admin("POST", "/api/code-batch", {
    count: 2,
    value_usd: "2.5",
    note: "fair",
    expires_in_seconds: 3_600,
  });
  const { codes, batch } = made.data as { codes: string[]; batch: { id: number } };
  const path = `/api/code-batch/${batch.id}`;

  const redeemed = await ada("POST", "/api/user/self/quota/redeem", { code: codes[0] });
  const again = await ada("POST", "/api/user/self/quota/redeem", { code: codes[0] });
  const shown = await admin("GET", path);
  const unused = await admin("GET", `${path}?state=unused`);
  const history = await ada("GET", "/api/user/self/quota/history");

  expect(made.data).toMatchObject({ batch: { state: "open", value_usd: 2.5, count: 2 } });
  expect(redeemed.data).toMatchObject({ added_usd: 2.5, quota_usd: 3.5 });
  expect(again.status).toBe(404);
  expect(shown.data).toMatchObject({
    batch: { redeemed: 1, note: "fair", created_by_name: "admin" },
    items: [{ redeemed_by_name: "ada" }, { redeemed_by_name: null }],
  });
  expect(unused.data["items"]).toHaveLength(1);
  expect(history.data).toMatchObject({ items: [{ change_usd: 2.5 }, {}] });
  const listed = [shown, unused, await admin("GET", "/api/code-batch")];
  for (const { data } of listed) expect(JSON.stringify(data)).not.toContain(codes[1]);
});

test("codes are exported as CSV when they are created", async () => {
  const response = await fetch(`${opened.url}/api/code-batch?format=csv`, {
    method: "POST",
    headers: { "content-type": "application/json", ...rootHeaders },
    body: JSON.stringify({ count: 3, value_usd: 1 }),
  });
  const [head, ...lines] = (await response.text()).trim().split("\r\n");

  expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(head).toBe("code,value_usd,expires_at,batch");
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(line).toMatch(/^([0-9A-Z]{5}-){3}[0-9A-Z]{5},1,,\d+$/);
});

test("a revoked batch grants nothing more, and only admins create and revoke", async () => {
  const bob = await newUser("bob");
  const auditor = await newUser("auditor", { role: "auditor" });
  const made = await root("POST", "/api/code-batch", { count: 1, value_usd: 1 });
  const { codes, batch } = made.data as { codes: string[]; batch: { id: number } };
  const path = `/api/code-batch/${batch.id}`;

  const refused = [
    await bob("POST", "/api/code-batch", { count: 1, value_usd: 1 }),
    await bob("GET", path),
    await auditor("POST", "/api/code-batch", { count: 1, value_usd: 1 }),
    await auditor("DELETE", path),
  ];
  const seen = await auditor("GET", path);
  const revoked = await root("DELETE", path);
  const late = await bob("POST", "/api/user/self/quota/redeem", { code: codes[0] });

  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  expect([seen.status, revoked.status, late.status]).toEqual([200, 200, 404]);
  expect((await root("GET", path)).data).toMatchObject({ batch: { state: "revoked" } });
  expect((await root("DELETE", path)).status).toBe(404);
});

test("a batch needs a value above zero and at most 10,000 codes", async () => {
  const bodies = [
    { count: 0, value_usd: 1 },
    { count: 10_001, value_usd: 1 },
    { count: 1, value_usd: 0 },
    { count: 1, value_usd: -1 },
    { count: 1 },
  ];
  const answers = await Promise.all(bodies.map((body) => root("POST", "/api/code-batch", body)));

  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
});

test("guesses at codes are slowed down", async () => {
  const eve = await newUser("eve");
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) {
    const code = `00000-00000-00000-0000${i}`;
    statuses.push((await eve("POST", "/api/user/self/quota/redeem", { code })).status);
  }

  expect(statuses).toEqual([404, 404, 404, 404, 404, 429]);
});
