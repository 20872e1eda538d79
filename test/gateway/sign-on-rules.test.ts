import { afterAll, beforeAll, expect, test } from "bun:test";
import { asRoot, askWith, logIn, openWithRoot, PASSWORD, type Ask } from "#test/accounts.ts";
import type { TestGateway } from "#test/harness.ts";
import { openTestProvider, signOnSettings } from "#test/identity-provider.ts";
import type { TestProvider } from "#test/identity-provider.ts";

let provider: TestProvider;
let opened: TestGateway;
let root: Ask;
let team = 0;
let group = 0;
beforeAll(async () => {
  provider = await openTestProvider();
  opened = await openWithRoot({ env: signOnSettings(provider.issuer) });
  root = await asRoot(opened.url);
  team = Number((await root("POST", "/api/team", { name: "Design" })).data["id"]);
  group = Number((await root("POST", "/api/group", { name: "artists" })).data["id"]);
  await setRules(RULES);
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});
const RULES = [
  { claim: "groups", value: "sluice-admins", role: "admin" },
  { claim: "realm_access.roles", value: "audit", role: "auditor" },
  { claim: "groups", value: "design-leads", team: "Design", team_role: "owner" },
  { claim: "groups", pattern: "design*", team: "Design", group: "artists" },
];

async function setRules(rules: readonly object[]): Promise<void> {
  const value = JSON.stringify(rules);
  expect((await root("PUT", "/api/setting/oidc.rules", { value })).status).toBe(200);
}

/** The user after a login with these claims in the token, and these in the profile. */
async function signOn(sub: string, claims: object = {}, profile: object = {}) {
  provider.userinfo = { sub, ...profile };
  provider.person = { sub, email: `${sub}@example.com`, email_verified: true, ...claims };
  const begun = await fetch(`${opened.url}/api/user/oidc/login`, { redirect: "manual" });
  await begun.arrayBuffer();
  const answer = provider.visit(begun.headers.get("location") ?? "").toString();
  const response = await fetch(`${opened.url}/api/user/oidc/callback?${answer}`, {
    redirect: "manual",
    headers: { cookie: begun.headers.get("set-cookie")?.split(";")[0] ?? "" },
  });
  await response.arrayBuffer();
  const session = response.headers.getSetCookie().find((each) => each.startsWith("sluice_session"));
  const ask = askWith(opened.url, {
    cookie: session?.split(";")[0] ?? "",
    "sec-fetch-site": "same-origin",
  });
  return { ask, user: (await ask("GET", "/api/user/self")).data };
}

test("claims give a new user role, team and group, and a claim that is gone takes them", async () => {
  const first = await signOn("ada", {
    groups: ["design-leads"],
    realm_access: { roles: ["audit", "other"] },
  });
  const second = await signOn("ada", { groups: ["design-x"] });
  const third = await signOn("ada", {});

  expect(first.user).toMatchObject({
    username: "ada",
    role: "auditor",
    team_id: team,
    team_role: "owner",
    group_id: group,
  });
  expect(second.user).toMatchObject({
    id: first.user["id"] ?? 0,
    role: "user",
    team_id: team,
    team_role: "member",
    group_id: group,
  });
  expect(third.user).toMatchObject({ role: "user", team_id: null, group_id: null });
});

test("an admin by claim loses the rights of running sessions with the next login", async () => {
  const { ask, user } = await signOn("boss", { groups: ["sluice-admins"] });
  const before = await ask("POST", "/api/user", { username: "by-boss" });
  await signOn("boss", { groups: [] });
  const after = await ask("POST", "/api/user", { username: "by-boss-2" });

  expect(user).toMatchObject({ role: "admin" });
  expect([before.status, after.status]).toEqual([200, 403]);
});

test("claims that only the provider's profile has are read from there", async () => {
  const { user } = await signOn("profiled", {}, { groups: ["design"] });

  expect(user).toMatchObject({ team_id: team, group_id: group });
});

test("a rule for a team that does not exist gives no team", async () => {
  await setRules([{ claim: "groups", value: "x", team: "nowhere", group: "artists" }]);
  const { user } = await signOn("lost", { groups: ["x"] });
  await setRules(RULES);

  expect(user).toMatchObject({ team_id: null, group_id: group });
});

test("rules change nothing that none of them names", async () => {
  const { user } = await signOn("kept", { groups: ["design"] });
  await setRules([{ claim: "groups", value: "x", group: "artists" }]);
  await root("PUT", `/api/user/${Number(user["id"])}`, { role: "auditor" });
  const again = await signOn("kept", { groups: ["design"] });
  await setRules(RULES);

  expect(again.user).toMatchObject({ role: "auditor", team_id: team, group_id: null });
});

test("root keeps its role, and no rule can give it", async () => {
  const link = { subject: "the-root" };
  expect((await root("PUT", "/api/user/1/identity", link)).status).toBe(200);
  const { user } = await signOn("the-root", { groups: [] });
  const value = JSON.stringify([{ claim: "groups", value: "x", role: "root" }]);

  expect(user).toMatchObject({ id: 1, role: "root", team_id: null });
  expect((await root("PUT", "/api/setting/oidc.rules", { value })).status).toBe(400);
});

test("only root changes the rules, since they can give the admin role", async () => {
  const login = { username: "other-admin", password: PASSWORD };
  await root("POST", "/api/user", { ...login, role: "admin" });
  const ask = askWith(opened.url, await logIn(opened.url, login));

  expect((await ask("PUT", "/api/setting/oidc.rules", { value: "[]" })).status).toBe(403);
});
