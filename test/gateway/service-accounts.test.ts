import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  asRoot,
  askWith,
  asUser,
  bearer,
  openWithRoot,
  PASSWORD,
  textIn,
  type Ask,
} from "#test/accounts.ts";
import type { TestGateway } from "#test/harness.ts";

const PATH = "/api/service-account";

let opened: TestGateway;
let root: Ask;
let admin: Ask;
let owner: Ask;
let team: number;
let groupId: number;
beforeAll(async () => {
  opened = await openWithRoot({ env: { SLUICE_LIMIT_SERVICE_ACCOUNTS_PER_TEAM: "6" } });
  root = await asRoot(opened.url);
  admin = await asUser(opened.url, "an-admin", "admin");
  owner = await asUser(opened.url, "an-owner");
  team = await makeTeam("research");
  const { data } = await root("POST", "/api/group", { name: "small", models: ["gpt-4o-mini"] });
  groupId = Number(data["id"]);
  const { data: self } = await owner("GET", "/api/user/self");
  const fields = { team_id: team, team_role: "owner", group_id: groupId };
  await root("PUT", `/api/user/${Number(self["id"])}`, fields);
});
afterAll(() => opened[Symbol.asyncDispose]());

async function makeTeam(name: string): Promise<number> {
  return Number((await root("POST", "/api/team", { name })).data["id"]);
}

let made = 0;

async function make(ask: Ask, fields: object = {}): Promise<{ id: number; username: string }> {
  const username = `robot-${made++}`;
  const { data, status, body } = await ask("POST", PATH, { username, ...fields });
  expect({ status, message: body.message }).toMatchObject({ status: 200 });
  return { id: Number(data["id"]), username };
}

function listModels(key: string): Promise<Response> {
  return fetch(`${opened.url}/v1/models`, { headers: bearer(key) });
}

describe("a service account", () => {
  test("that an owner of a team makes is in the team and in the owner's group, and is shown as such", async () => {
    const { id, username } = await make(owner, { quota_usd: 5 });

    const shown = await owner("GET", `${PATH}/${id}`);
    expect(shown.data).toMatchObject({
      username,
      kind: "service",
      role: "user",
      team_id: team,
      team_name: "research",
      team_role: "member",
      group_id: groupId,
      email: null,
    });
    expect((await owner("GET", PATH)).data["items"]).toContainEqual(shown.data);
    const { data } = await admin("GET", `/api/user?after=${id - 1}`);
    expect(data["items"]).toMatchObject([{ id, kind: "service" }]);
    expect((await admin("GET", "/api/user/self")).data).toMatchObject({ kind: "person" });
  });

  test("has keys and access tokens, made by the owner; the audit log names both", async () => {
    const { id, username } = await make(owner);
    const key = await owner("POST", `/api/user/${id}/token`, { name: "calls" });
    const token = await owner("POST", `/api/user/${id}/access-token`, {
      name: "reports",
      scopes: ["usage:read", "account:read"],
    });
    const robot = askWith(opened.url, bearer(textIn(token.data, "token")));

    expect((await listModels(textIn(key.data, "key"))).status).toBe(200);
    expect((await robot("GET", "/api/user/self")).data).toMatchObject({ id, kind: "service" });
    expect((await robot("GET", "/api/token")).status).toBe(403);
    expect((await owner("GET", `/api/user/${id}/access-token`)).data["items"]).toMatchObject([
      { name: "reports" },
    ]);
    const { data: self } = await owner("GET", "/api/user/self");
    const { data } = await admin("GET", `/api/audit?actor=${Number(self["id"])}&page_size=1`);
    expect(data["items"]).toMatchObject([{ actor: "an-owner", details: { user: username } }]);

    const path = `/api/user/${id}/access-token/${Number(token.data["id"])}`;
    expect((await owner("DELETE", path)).status).toBe(200);
    expect((await robot("GET", "/api/user/self")).status).toBe(401);
    await owner("DELETE", `${PATH}/${id}`);
  });

  test("gets no scope that its maker or the maker's token lacks", async () => {
    const { id } = await make(admin, { team_id: team, role: "auditor" });
    const path = `/api/user/${id}/access-token`;
    const give = async (ask: Ask, scopes: readonly string[] | null): Promise<number> =>
      (await ask("POST", path, { name: "x", scopes })).status;
    const scopes = ["users:write", "logs:read"];
    const { data } = await admin("POST", "/api/user/self/access-token", { name: "t", scopes });
    const limited = askWith(opened.url, bearer(textIn(data, "token")));

    expect(await give(admin, ["audit:read"])).toBe(200);
    expect(await give(admin, ["channels:write"])).toBe(403);
    expect(await give(limited, ["logs:read"])).toBe(200);
    expect(await give(limited, ["audit:read"])).toBe(403);
    expect(await give(limited, null)).toBe(403);
    // An owner of the team with a lower role does not see it.
    expect(await give(owner, ["logs:read"])).toBe(404);
    expect((await owner("DELETE", `${PATH}/${id}`)).status).toBe(404);
    await admin("DELETE", `${PATH}/${id}`);
  });

  test("cannot log in by any means", async () => {
    const { id, username } = await make(owner);
    const { data } = await owner("POST", `/api/user/${id}/access-token`, { name: "all" });
    const robot = askWith(opened.url, bearer(textIn(data, "token")));
    const nobody = askWith(opened.url);
    const login = { username, password: PASSWORD };

    expect((await root("PUT", `/api/user/${id}`, { password: PASSWORD })).status).toBe(400);
    expect((await root("PUT", `/api/user/${id}/identity`, { subject: "s" })).status).not.toBe(200);
    const change = { password: PASSWORD, current_password: "" };
    expect((await robot("PUT", "/api/user/self", change)).status).not.toBe(200);
    const factor = await robot("POST", "/api/user/self/second-factor", {});
    expect(factor.status).toBe(403);
    expect((await nobody("POST", "/api/user/login", login)).status).toBe(401);
    await owner("DELETE", `${PATH}/${id}`);
  });

  test("is managed by admins above it and by the owner within limits, and by no other user", async () => {
    const other = await makeTeam("elsewhere");
    const { id } = await make(admin, { team_id: other, group_id: groupId });
    const member = await asUser(opened.url, "a-member");

    expect((await owner("GET", `${PATH}/${id}`)).status).toBe(404);
    expect((await owner("PUT", `${PATH}/${id}`, { status: 2 })).status).toBe(404);
    expect((await owner("GET", `${PATH}?team=${other}`)).status).toBe(403);
    expect((await member("GET", PATH)).status).toBe(403);
    expect((await member("POST", PATH, { username: "x" })).status).toBe(403);
    for (const fields of [{ team_id: other }, { role: "auditor" }, { group_id: groupId }]) {
      expect((await owner("POST", PATH, { username: "x", ...fields })).status).toBe(403);
    }
    expect((await admin("POST", PATH, { username: "x", team_id: 99_999 })).status).toBe(400);
    expect((await admin("POST", PATH, { username: "x" })).status).toBe(400);
    expect(
      (await admin("POST", PATH, { username: "x", team_id: team, role: "admin" })).status,
    ).toBe(403);
  });

  test("is reassigned by an admin, and always has a team, which it does not own", async () => {
    const other = await makeTeam("next");
    const { id } = await make(owner);

    expect((await owner("PUT", `${PATH}/${id}`, { team_id: other })).status).toBe(403);
    const moved = await admin("PUT", `${PATH}/${id}`, { team_id: other });
    expect(moved.data).toMatchObject({ team_id: other, team_name: "next" });
    expect((await owner("GET", `${PATH}/${id}`)).status).toBe(404);
    expect((await admin("PUT", `/api/user/${id}`, { team_id: null })).status).toBe(400);
    expect((await admin("PUT", `/api/user/${id}`, { team_role: "owner" })).status).toBe(400);
  });

  test("is deleted with its team, and its keys end", async () => {
    const short = await makeTeam("short-lived");
    const { id } = await make(admin, { team_id: short });
    const { data } = await admin("POST", `/api/user/${id}/token`, { name: "calls" });
    const key = textIn(data, "key");
    expect((await listModels(key)).status).toBe(200);

    expect((await admin("DELETE", `/api/team/${short}`)).status).toBe(200);

    expect((await listModels(key)).status).toBe(401);
    expect((await admin("GET", `${PATH}/${id}`)).status).toBe(404);
  });

  test("is refused if its team has the maximum number", async () => {
    const full = await makeTeam("full");
    for (let i = 0; i < 6; i++) await make(admin, { team_id: full });

    const refused = await admin("POST", PATH, { username: "one-more", team_id: full });

    expect([refused.status, refused.body.message]).toEqual([
      400,
      "The limit of 6 service accounts of a team is reached. Delete some first.",
    ]);
  });
});
