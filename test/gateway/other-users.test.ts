import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  asRoot,
  askWith,
  asUser,
  bearer,
  logIn,
  openWithRoot,
  PASSWORD,
  textIn,
  type Ask,
} from "#test/accounts.ts";
import { openBooks } from "#test/books.ts";
import type { TestGateway } from "#test/harness.ts";

let opened: TestGateway;
let root: Ask;
let admin: Ask;
let auditor: Ask;
beforeAll(async () => {
  opened = await openWithRoot();
  root = await asRoot(opened.url);
  admin = await asUser(opened.url, "an-admin", "admin");
  auditor = await asUser(opened.url, "an-auditor", "auditor");
});
afterAll(() => opened[Symbol.asyncDispose]());

interface Somebody {
  readonly id: number;
  readonly username: string;
  readonly ask: Ask;
  readonly token: { readonly id: number; readonly key: string };
}

let made = 0;

async function make(role = "user"): Promise<Somebody> {
  const username = `somebody-${made++}`;
  const fields = { username, email: `${username}@example.com`, role, password: PASSWORD };
  const { data } = await root("POST", "/api/user", fields);
  const ask = askWith(opened.url, await logIn(opened.url, { username, password: PASSWORD }));
  const { data: token } = await ask("POST", "/api/token", { name: "own" });
  const key = textIn(token, "key");
  return { id: Number(data["id"]), username, ask, token: { id: Number(token["id"]), key } };
}

function listModels(key: string): Promise<Response> {
  return fetch(`${opened.url}/v1/models`, { headers: bearer(key) });
}

describe("another user", () => {
  test("is shown to auditors as in the list of users", async () => {
    const { id, username, ask } = await make();

    const seen = await auditor("GET", `/api/user/${id}`);
    const listed = await auditor("GET", `/api/user?q=${username}`);

    expect(seen.data).toMatchObject({ id, username, quota_usd: null, second_factor: false });
    expect(listed.data).toEqual({ items: [seen.data] });
    expect((await ask("GET", `/api/user/${id}`)).status).toBe(403);
    for (const unknown of ["99999", "x", "0"]) {
      expect((await auditor("GET", `/api/user/${unknown}`)).status).toBe(404);
    }
  });

  test("is shown to owners of its team without its quota, and others are not", async () => {
    const [owner, member, stranger] = [await make(), await make(), await make("auditor")];
    const { data: team } = await root("POST", "/api/team", { name: `team of ${owner.username}` });
    await root("POST", `/api/team/${Number(team["id"])}/member`, {
      members: [{ user_id: owner.id, role: "owner" }, { user_id: member.id }],
    });

    const seen = await owner.ask("GET", `/api/user/${member.id}`);

    expect(Object.keys(seen.data).sort()).toEqual(
      "display_name email id kind role status team_id team_role used_day_usd used_month_usd username".split(
        " ",
      ),
    );
    expect(seen.data).toMatchObject({ id: member.id, username: member.username });
    expect((await owner.ask("GET", `/api/user/${owner.id}`)).data).toMatchObject({ id: owner.id });
    expect((await owner.ask("GET", `/api/user/${stranger.id}`)).status).toBe(404);
    expect((await member.ask("GET", `/api/user/${owner.id}`)).status).toBe(403);
  });
});

describe("another user's tokens", () => {
  test("are shown to auditors as to their owner, page by page", async () => {
    const { id, ask, token } = await make();
    await ask("POST", "/api/token", { name: "second", rpm: 5 });

    const seen = await auditor("GET", `/api/user/${id}/token?page_size=1`);

    expect(seen.data).toEqual((await ask("GET", "/api/token?page_size=1")).data);
    expect(seen.data).toMatchObject({ total: 2, items: [{ name: "second", rpm: 5 }] });
    expect(JSON.stringify(seen.body)).not.toContain(token.key);
    expect((await ask("GET", `/api/user/${id}/token`)).status).toBe(403);
    expect((await auditor("GET", "/api/user/99999/token")).status).toBe(404);
  });

  test("are disabled, enabled and deleted by an admin with a higher role", async () => {
    const { id, token } = await make();
    const path = `/api/user/${id}/token/${token.id}`;

    const off = await admin("PUT", path, { status: 2 });
    expect(off.data).toMatchObject({ id: token.id, status: 2 });
    expect((await listModels(token.key)).status).toBe(401);
    await admin("PUT", path, { status: 1 });
    expect((await listModels(token.key)).status).toBe(200);
    expect((await admin("DELETE", path)).status).toBe(200);

    expect((await listModels(token.key)).status).toBe(401);
    expect((await admin("DELETE", path)).status).toBe(404);
    expect((await admin("PUT", path, { status: 1 })).status).toBe(404);
  });

  test("are created and changed for a user by an admin with a higher role; both are in the audit log", async () => {
    const { id, username, ask } = await make();
    const path = `/api/user/${id}/token`;

    const created = await admin("POST", path, { name: "given", quota_usd: 5, rpm: 3 });
    const tokenId = Number(created.data["id"]);
    const changed = await admin("PUT", `${path}/${tokenId}`, { name: "renamed", rpm: null });

    expect((await listModels(textIn(created.data, "key"))).status).toBe(200);
    expect(changed.data).toMatchObject({ name: "renamed", rpm: null, quota_usd: 5 });
    expect((await ask("GET", `/api/token/${tokenId}`)).data).toEqual(changed.data);
    const { data: self } = await admin("GET", "/api/user/self");
    const { data } = await auditor("GET", `/api/audit?actor=${Number(self["id"])}&page_size=2`);
    expect(data["items"]).toMatchObject([
      { actor: "an-admin", outcome: "done", details: { user: username } },
      { actor: "an-admin", outcome: "asked", object: { id: String(id), token: String(tokenId) } },
    ]);
  });

  test("of members are managed by an owner of the team, and no others", async () => {
    const { data: team } = await root("POST", "/api/team", { name: "owned" });
    const join = async (each: Somebody, more: object = {}): Promise<void> => {
      await root("PUT", `/api/user/${each.id}`, { team_id: team["id"], ...more });
    };
    const [owner, member, other, coOwner] = [
      await make(),
      await make(),
      await make(),
      await make(),
    ];
    const above = await make("auditor");
    await join(owner, { team_role: "owner" });
    await join(coOwner, { team_role: "owner" });
    await join(member);
    await join(above);

    const path = `/api/user/${member.id}/token`;
    const created = await owner.ask("POST", path, { name: "from the owner" });
    const id = Number(created.data["id"]);
    expect((await listModels(textIn(created.data, "key"))).status).toBe(200);
    expect((await owner.ask("GET", path)).data).toMatchObject({ total: 2 });
    expect((await owner.ask("PUT", `${path}/${id}`, { status: 2 })).data).toMatchObject({
      status: 2,
    });
    expect((await owner.ask("DELETE", `${path}/${id}`)).status).toBe(200);

    for (const { id: userId, token } of [other, coOwner, above, owner]) {
      const tokens = `/api/user/${userId}/token`;
      expect((await owner.ask("GET", tokens)).status).toBe(404);
      expect((await owner.ask("POST", tokens, { name: "x" })).status).toBe(404);
      expect((await owner.ask("PUT", `${tokens}/${token.id}`, { status: 2 })).status).toBe(404);
      expect((await owner.ask("DELETE", `${tokens}/${token.id}`)).status).toBe(404);
      expect((await listModels(token.key)).status).toBe(200);
    }
    expect((await member.ask("GET", `/api/user/${owner.id}/token`)).status).toBe(403);
    await root("PUT", `/api/user/${owner.id}`, { team_role: "member" });
    expect((await owner.ask("GET", path)).status).toBe(403);
  });

  test("cannot be changed by an auditor or an equal role", async () => {
    const { id, token } = await make();
    const equal = await make("admin");

    expect((await auditor("DELETE", `/api/user/${id}/token/${token.id}`)).status).toBe(403);
    const equals = `/api/user/${equal.id}/token/${equal.token.id}`;
    expect((await admin("DELETE", equals)).status).toBe(403);
    expect((await admin("PUT", equals, { status: 2 })).status).toBe(403);
    const own = `/api/user/${id}/token/${token.id}`;
    expect((await auditor("PUT", own, { status: 2 })).status).toBe(403);
    expect((await auditor("POST", `/api/user/${id}/token`, { name: "x" })).status).toBe(403);
    expect((await admin("POST", `/api/user/${equal.id}/token`, { name: "x" })).status).toBe(403);

    expect((await listModels(token.key)).status).toBe(200);
    expect((await listModels(equal.token.key)).status).toBe(200);
  });

  test("are found under their owner only", async () => {
    const { token } = await make();
    const other = await make();

    const missed = await admin("DELETE", `/api/user/${other.id}/token/${token.id}`);

    expect(missed.status).toBe(404);
    expect((await listModels(token.key)).status).toBe(200);
  });
});

describe("a deleted user", () => {
  test("cannot log in, has no valid token or key, and is not listed", async () => {
    const { id, username, ask, token } = await make();
    const access = textIn((await ask("POST", "/api/user/token")).data, "token");
    expect((await listModels(token.key)).status).toBe(200);

    expect((await admin("DELETE", `/api/user/${id}`)).status).toBe(200);

    expect((await ask("GET", "/api/user/self")).status).toBe(401);
    expect((await askWith(opened.url, bearer(access))("GET", "/api/user/self")).status).toBe(401);
    expect((await listModels(token.key)).status).toBe(401);
    const login = { username, password: PASSWORD };
    expect((await askWith(opened.url)("POST", "/api/user/login", login)).status).toBe(401);
    expect(JSON.stringify((await root("GET", "/api/user")).body)).not.toContain(username);
    for (const [method, path, body] of [
      ["DELETE", `/api/user/${id}`, undefined],
      ["PUT", `/api/user/${id}`, { status: 1 }],
      ["GET", `/api/user/${id}/token`, undefined],
      ["GET", `/api/user/${id}/quota`, undefined],
    ] as const) {
      expect((await root(method, path, body)).status).toBe(404);
    }
  });

  test("releases the name and the address, and auditors can still read the ledger", async () => {
    const { id, username, token } = await make();
    const call = await opened.post(
      "/v1/chat/completions",
      { model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] },
      bearer(token.key),
    );
    await call.text();
    using books = openBooks(opened.dataDir);
    expect(await books.whenSettled()).toEqual([]);

    await root("DELETE", `/api/user/${id}`);
    const again = await root("POST", "/api/user", {
      username,
      email: `${username}@example.com`,
    });

    expect(again.status).toBe(200);
    expect(Number(again.data["id"])).toBeGreaterThan(id);
    const { data: log } = await auditor("GET", `/api/log?user=${id}`);
    expect(log["items"]).toHaveLength(1);
    expect(books.verify()).toEqual([]);
    const accounts = books.accounts().filter((each) => each["id"] === `user:${id}`);
    expect(accounts).toMatchObject([{ held: 0, spent: expect.any(Number) }]);
  });

  test("can be neither the admin itself, nor an equal role, nor root", async () => {
    const equal = await make("admin");
    const { data: own } = await admin("GET", "/api/user/self");

    expect((await admin("DELETE", `/api/user/${Number(own["id"])}`)).status).toBe(403);
    expect((await admin("DELETE", `/api/user/${equal.id}`)).status).toBe(403);
    expect((await admin("DELETE", "/api/user/1")).status).toBe(403);
    expect((await root("DELETE", "/api/user/1")).status).toBe(403);
    expect((await auditor("DELETE", `/api/user/${equal.id}`)).status).toBe(403);

    expect((await root("GET", "/api/user/self")).status).toBe(200);
  });
});
