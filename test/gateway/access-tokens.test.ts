import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SCOPES } from "#core/scope.ts";
import type { JsonObject } from "#lib/json.ts";
import {
  asRoot,
  askWith,
  asUser,
  bearer,
  logIn,
  openWithRoot,
  PASSWORD,
  textIn,
  tokenOf,
  type Ask,
} from "#test/accounts.ts";
import type { TestGateway } from "#test/harness.ts";

const OWN = "/api/user/self/access-token";

let opened: TestGateway;
let root: Ask;
beforeAll(async () => {
  opened = await openWithRoot();
  root = await asRoot(opened.url);
});
afterAll(() => opened[Symbol.asyncDispose]());

/** A user with a session. Unlike `asUser` it leaves root's oldest session open. */
async function newUser(username: string): Promise<Ask> {
  await root("POST", "/api/user", { username, role: "user", password: PASSWORD });
  return askWith(opened.url, await logIn(opened.url, { username, password: PASSWORD }));
}

async function tokenWith(ask: Ask, fields: JsonObject): Promise<Ask> {
  const { data } = await ask("POST", OWN, { name: "made", ...fields });
  return askWith(opened.url, bearer(textIn(data, "token")));
}

function inSeconds(more: number): number {
  return Math.floor(Date.now() / 1_000) + more;
}

describe("an access token", () => {
  test("is renamed by its user and by admins, and keeps its rights", async () => {
    const [ask, other] = [await newUser("renata"), await newUser("rolf")];
    const made = await ask("POST", OWN, { name: "old", scopes: ["usage:read"] });
    const path = `${OWN}/${Number(made.data["id"])}`;

    const renamed = await ask("PUT", path, { name: "новый" });
    expect(renamed.data).toMatchObject({ name: "новый", scopes: ["usage:read"] });
    const opener = askWith(opened.url, bearer(textIn(made.data, "token")));
    expect((await opener("GET", "/api/usage/self")).status).toBe(200);
    expect((await opener("PUT", path, { name: "mine" })).status).toBe(403);
    expect((await other("PUT", path, { name: "his" })).status).toBe(404);
    for (const body of [{}, { name: "" }, { name: "a", scopes: null }])
      expect((await ask("PUT", path, body)).status).toBe(400);
    const { id } = (await ask("GET", "/api/user/self")).data;
    const ofUser = `/api/user/${Number(id)}/access-token/${Number(made.data["id"])}`;
    expect((await other("PUT", ofUser, { name: "his" })).status).toBe(403);
    expect((await root("PUT", ofUser, { name: "by root" })).data["name"]).toBe("by root");
  });

  test("with a name, scopes and an end is listed without its secret, and revoked alone", async () => {
    const ask = askWith(opened.url, bearer(await tokenOf(opened.url, "ada")));
    const end = inSeconds(3_600);
    const fields = { name: "nightly report", scopes: ["usage:read", "logs:read"], expires_at: end };

    const made = await ask("POST", OWN, fields);
    const listed = await ask("GET", OWN);

    const secret = textIn(made.data, "token");
    const { token: _, ...shown } = made.data;
    expect(shown).toEqual({
      id: expect.any(Number),
      name: "nightly report",
      last4: secret.slice(-4),
      scopes: ["logs:read", "usage:read"],
      created_at: expect.any(Number),
      used_at: null,
      expires_at: end,
    });
    expect(listed.data["items"]).toEqual([
      shown,
      expect.objectContaining({ name: "access token", scopes: null, expires_at: null }),
    ]);
    expect(JSON.stringify(listed.body)).not.toContain(secret);

    const report = askWith(opened.url, bearer(secret));
    expect((await report("GET", "/api/usage/self")).status).toBe(200);
    const refused = await report("GET", "/api/token");
    expect([refused.status, refused.data]).toEqual([403, { scope: "keys:read" }]);

    expect((await ask("DELETE", `${OWN}/${Number(shown["id"])}`)).status).toBe(200);
    expect((await ask("DELETE", `${OWN}/${Number(shown["id"])}`)).status).toBe(404);
    expect((await report("GET", "/api/usage/self")).status).toBe(401);
    expect((await ask("GET", "/api/user/self")).status).toBe(200);
  });

  test("makes no token that allows more or lasts longer than itself", async () => {
    const ask = await asUser(opened.url, "bob");
    const scopes = ["account:write", "account:read", "logs:read"];
    const limited = await tokenWith(ask, { scopes, expires_at: inSeconds(600) });
    const make = async (fields: JsonObject): Promise<number> =>
      (await limited("POST", OWN, { name: "more", ...fields })).status;

    expect(await make({ scopes: ["logs:read"], expires_at: inSeconds(500) })).toBe(200);
    expect(await make({ scopes: ["logs:read"] })).toBe(403);
    expect(await make({ scopes: ["logs:read"], expires_at: inSeconds(700) })).toBe(403);
    expect(await make({ scopes: ["keys:write"], expires_at: inSeconds(500) })).toBe(403);
    expect(await make({ scopes: null, expires_at: inSeconds(500) })).toBe(403);
    expect((await limited("POST", "/api/user/token")).status).toBe(403);
    const { data } = await limited("GET", OWN);
    const grantable = (data["grantable"] as { scope: string }[]).map(({ scope }) => scope);
    expect(grantable.toSorted()).toEqual(scopes.toSorted());
  });

  test("gets only scopes that its user's role has a use for", async () => {
    const ask = await asUser(opened.url, "carol");
    const { data } = await ask("GET", OWN);
    const grantable = (data["grantable"] as { scope: string }[]).map(({ scope }) => scope);

    expect(grantable).toContain("keys:write");
    expect(grantable).not.toContain("channels:read");
    const refused = await ask("POST", OWN, { name: "x", scopes: ["channels:read"] });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      "You may not give the scope 'channels:read'.",
    ]);
  });

  test.each([
    { name: "x", scopes: [] },
    { name: "x", scopes: ["moon:write"] },
    { name: " x", scopes: null },
    { name: "x", scopes: null, expires_at: 1 },
  ])("is refused as invalid with %j", async (fields) => {
    expect((await root("POST", OWN, fields)).status).toBe(400);
  });

  test("ends with a new password, with all others of its user", async () => {
    const ask = await asUser(opened.url, "emil");
    const other = await tokenWith(ask, { scopes: ["account:read"] });
    const session = askWith(
      opened.url,
      await logIn(opened.url, { username: "emil", password: PASSWORD }),
    );
    const change = { password: "something else entirely", current_password: PASSWORD };

    expect((await session("PUT", "/api/user/self", change)).status).toBe(200);

    for (const each of [ask, other]) expect((await each("GET", "/api/user/self")).status).toBe(401);
  });

  test("of another user is shown to auditors and revoked by an admin above the user", async () => {
    const ask = await asUser(opened.url, "finn");
    const { data: self } = await ask("GET", "/api/user/self");
    const path = `/api/user/${Number(self["id"])}/access-token`;
    const auditor = await asUser(opened.url, "seer", "auditor");
    const admin = await asUser(opened.url, "chief", "admin");
    const { data } = await auditor("GET", path);
    const [item] = data["items"] as { id: number; name: string }[];

    expect(item?.name).toBe("access token");
    expect((await auditor("DELETE", `${path}/${item?.id}`)).status).toBe(403);
    expect((await ask("GET", path)).status).toBe(403);
    expect((await admin("DELETE", `/api/user/1/access-token/1`)).status).toBe(403);
    expect((await admin("DELETE", `${path}/${item?.id}`)).status).toBe(200);
    expect((await ask("GET", "/api/user/self")).status).toBe(401);
    const { data: log } = await auditor(
      "GET",
      `/api/audit?actor=${Number((await admin("GET", "/api/user/self")).data["id"])}&page_size=1`,
    );
    expect(log["items"]).toMatchObject([
      { actor: "chief", object: { token: String(item?.id) }, details: { user: "finn" } },
    ]);
  });

  test("is named in the API document with each operation's scope", async () => {
    const document = (await (await fetch(`${opened.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { security: JsonObject[] }>>;
    };

    const { get, post } = document.paths["/api/token"] ?? {};
    expect(get?.security).toEqual([{ session: [] }, { accessToken: ["keys:read"] }]);
    expect(post?.security).toEqual([{ session: [] }, { accessToken: ["keys:write"] }]);
    expect(document.paths["/livez"]?.["get"]?.security).toEqual([]);
  });
});

test("the manual lists all scopes", async () => {
  const manual = await Bun.file(new URL("../../docs/login.md", import.meta.url)).text();

  for (const [scope, opens] of Object.entries(SCOPES)) {
    expect(manual).toContain(`| \`${scope}\` | ${opens} |`);
  }
});
