import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asRoot, asUser, bearer, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import type { TestGateway } from "#test/harness.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { waitFor } from "#test/wait.ts";

const DAY_S = 86_400;

async function statusWith(at: TestGateway, key: string): Promise<number> {
  return (await fetch(`${at.url}/v1/models`, { headers: bearer(key) })).status;
}

async function makeKey(ask: Ask): Promise<{ readonly id: number; readonly key: string }> {
  const { data } = await ask("POST", "/api/token", { name: `k-${Math.random()}`, quota_usd: 5 });
  return { id: Number(data["id"]), key: textIn(data, "key") };
}

describe("a rotated key", () => {
  let opened: TestGateway;
  let ask: Ask;
  let root: Ask;
  beforeAll(async () => {
    opened = await openWithRoot({ env: { SLUICE_LIMIT_KEY_OVERLAP_MS: "2d" } });
    root = await asRoot(opened.url);
    ask = await asUser(opened.url, "ada");
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  test("has a new secret, shown once, and the old one for a day", async () => {
    const { id, key } = await makeKey(ask);
    const before = Math.floor(Date.now() / 1_000);

    const { data } = await ask("POST", `/api/key/${id}/rotate`, {});

    const fresh = textIn(data, "key");
    expect(data).toMatchObject({
      id,
      quota_usd: 5,
      last4: fresh.slice(-4),
      old_last4: key.slice(-4),
    });
    expect(Number(data["old_expires_at"]) - DAY_S - before).toBeWithin(0, 5);
    expect([await statusWith(opened, key), await statusWith(opened, fresh)]).toEqual([200, 200]);
    const { key: _, ...shown } = data;
    expect((await ask("GET", `/api/token/${id}`)).data).toEqual(shown);
  });

  test("loses its old secret at once if that is ended, and has none after it", async () => {
    const { id, key } = await makeKey(ask);
    const { data } = await ask("POST", `/api/key/${id}/rotate`, { overlap_s: 600 });

    const ended = await ask("DELETE", `/api/key/${id}/old-secret`);

    expect(ended.data).toMatchObject({ id, old_last4: null, old_expires_at: null });
    expect(await statusWith(opened, key)).toBe(401);
    expect(await statusWith(opened, textIn(data, "key"))).toBe(200);
    expect((await ask("DELETE", `/api/key/${id}/old-secret`)).status).toBe(400);
  });

  test("is rotated with an overlap within the limit", async () => {
    const { id, key } = await makeKey(ask);
    const rotate = async (overlap_s: number): Promise<number> =>
      (await ask("POST", `/api/key/${id}/rotate`, { overlap_s })).status;

    expect(await rotate(2 * DAY_S + 1)).toBe(400);
    expect(await rotate(-1)).toBe(400);
    expect(await statusWith(opened, key)).toBe(200);
    expect(await rotate(0)).toBe(200);
    expect(await statusWith(opened, key)).toBe(401);
  });

  test("is rotated by its user and by an admin above the user, and by no other", async () => {
    const { id, key } = await makeKey(ask);
    const other = await asUser(opened.url, "bob");
    const admin = await asUser(opened.url, "chief", "admin");
    const { id: rootsId } = await makeKey(root);

    expect((await other("POST", `/api/key/${id}/rotate`, {})).status).toBe(404);
    expect((await other("DELETE", `/api/key/${id}/old-secret`)).status).toBe(404);
    expect((await admin("POST", `/api/key/${rootsId}/rotate`, {})).status).toBe(404);
    const { data } = await admin("POST", `/api/key/${id}/rotate`, { overlap_s: 0 });

    expect(await statusWith(opened, key)).toBe(401);
    expect(await statusWith(opened, textIn(data, "key"))).toBe(200);
    const { data: self } = await admin("GET", "/api/user/self");
    const log = await root("GET", `/api/audit?actor=${Number(self["id"])}&page_size=1`);
    expect(log.data["items"]).toMatchObject([
      { actor: "chief", object: { id: String(id) }, details: { user: "ada" } },
    ]);
  });
});

describe.if(isPostgresReachable || process.env["CI"] !== undefined)(
  "two gateways on one PostgreSQL",
  () => {
    test("accept both secrets of a rotated key, and soon only the new one if the old is ended", async () => {
      await using database = await openScratchDatabase();
      const env = {
        DATABASE_URL: database.url,
        SLUICE_SECRET: "one-secret-for-all-gateways-0123456789",
      };
      await using first = await openWithRoot({ env });
      await using second = await openWithRoot({ env });
      const ask = await asRoot(first.url);
      const { id, key } = await makeKey(ask);
      expect(await statusWith(second, key)).toBe(200);

      const { data } = await ask("POST", `/api/key/${id}/rotate`, {});
      const fresh = textIn(data, "key");

      for (const at of [first, second]) {
        expect(await statusWith(at, fresh)).toBe(200);
        expect(await statusWith(at, key)).toBe(200);
      }
      await ask("DELETE", `/api/key/${id}/old-secret`);
      expect(await statusWith(first, key)).toBe(401);
      await waitFor(async () => (await statusWith(second, key)) === 401);
      expect(await statusWith(second, fresh)).toBe(200);
    });
  },
);
