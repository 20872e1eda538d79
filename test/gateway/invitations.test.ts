import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import {
  asRoot,
  askWith,
  logIn,
  openWithRoot,
  PASSWORD,
  textIn,
  type Ask,
} from "#test/accounts.ts";
import type { TestGateway } from "#test/harness.ts";
import { openTestProvider, PUBLIC_URL, signOnSettings } from "#test/identity-provider.ts";
import type { TestProvider } from "#test/identity-provider.ts";
import { openSmtpReceiver } from "#test/smtp-receiver.ts";

let mail: Awaited<ReturnType<typeof openSmtpReceiver>>;
let isMailRefused = false;
let provider: TestProvider;
let opened: TestGateway;
let root: Ask;
beforeAll(async () => {
  mail = await openSmtpReceiver({
    answer: (line) => (isMailRefused && line.startsWith("MAIL") ? "451 later" : undefined),
  });
  provider = await openTestProvider();
  const env = {
    ...signOnSettings(provider.issuer),
    SLUICE_OIDC_NEW_USERS: "refuse",
    SLUICE_TRUSTED_PROXIES: "127.0.0.1,::1",
    SLUICE_MAIL_SMTP_URL: mail.url,
    SLUICE_MAIL_FROM: "Sluice <sluice@example.com>",
  };
  opened = await openWithRoot({ env });
  root = await asRoot(opened.url);
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  await mail[Symbol.asyncDispose]();
});

let count = 0;
let anyone: Ask;
beforeEach(() => {
  isMailRefused = false;
  anyone = askWith(opened.url, { "x-forwarded-for": `198.51.100.${++count}` });
});

const LINK = `${PUBLIC_URL}/account/invitation#`;

async function invite(body: object, by: Ask = root) {
  const { status, data, body: whole } = await by("POST", "/api/invitation", body);
  return {
    status,
    data,
    message: whole.message,
    token: typeof data["token"] === "string" ? data["token"] : "",
  };
}

/** A user who logs in by password. */
async function newUser(username: string, more: object): Promise<Ask> {
  const made = await root("POST", "/api/user", { username, password: PASSWORD });
  await root("PUT", `/api/user/${Number(made.data["id"])}`, more);
  return askWith(opened.url, await logIn(opened.url, { username, password: PASSWORD }));
}

async function newTeam(name: string, more: object = {}): Promise<number> {
  return Number((await root("POST", "/api/team", { name, ...more })).data["id"]);
}

test("a link without an address is shown once, and its holder becomes a user and is logged in", async () => {
  const team = await newTeam("Atelier");
  const { status, data, token } = await invite({
    role: "auditor",
    team_id: team,
    team_role: "owner",
    quota_usd: 3,
    budget_day_usd: 2,
    budgets: [
      { period: "month", amount_usd: 9, warn_usd: 5, start_day: 3, time_zone: "Asia/Tokyo" },
    ],
    note: "trial",
  });
  const link = { token };

  const shown = await anyone("POST", "/api/user/invitation/check", link);
  const accepted = await anyone("POST", "/api/user/invitation/accept", {
    token,
    username: "ada",
    password: PASSWORD,
    display_name: "Ada L.",
  });
  const cookie = accepted.headers.get("set-cookie")?.split(";")[0] ?? "";
  const ada = askWith(opened.url, { cookie, "sec-fetch-site": "same-origin" });
  const again = await anyone("POST", "/api/user/invitation/check", link);
  const listed = await root("GET", `/api/invitation/${String(idOf(data))}`);

  expect([status, data["is_mailed"], data["link"]]).toEqual([200, false, LINK + token]);
  expect(shown.data).toMatchObject({ role: "auditor", team: "Atelier", invited_by: "root" });
  expect((await ada("GET", "/api/user/self")).data).toMatchObject({
    username: "ada",
    display_name: "Ada L.",
    email: null,
    role: "auditor",
    team_id: team,
    team_role: "owner",
  });
  expect((await ada("GET", "/api/user/self/quota")).data).toMatchObject({
    quota_usd: 3,
    budget_day_usd: 2,
    budgets: [
      { period: "month", amount_usd: 9, warn_usd: 5, start_day: 3, time_zone: "Asia/Tokyo" },
      { period: "day", amount_usd: 2, warn_usd: null },
    ],
  });
  expect(again.status).toBe(401);
  expect(listed.data).toMatchObject({
    invitation: {
      state: "used_up",
      uses: 1,
      note: "trial",
      budgets: [{ period: "month" }, { period: "day" }],
    },
    accepted: [{ username: "ada" }],
  });
  expect(JSON.stringify(listed.data)).not.toContain(token);
});

test("an invitation to an address is mailed, and the user has that address", async () => {
  const { data } = await invite({ email: "Bob@Example.com" });
  const received = mail.mails.at(-1);
  const [, token = ""] = /#(\S+)/.exec(received?.text ?? "") ?? [];

  const accepted = await anyone("POST", "/api/user/invitation/accept", {
    token,
    username: "bob",
    password: PASSWORD,
  });

  expect(data).toMatchObject({ is_mailed: true, link: null, token: null });
  expect(received).toMatchObject({ to: ["bob@example.com"] });
  expect(received?.text).toContain(LINK + token);
  expect(accepted.data).toMatchObject({ username: "bob", email: "bob@example.com", role: "user" });
});

test("an invitation whose mail the server refuses is revoked", async () => {
  isMailRefused = true;
  const { status, message } = await invite({ email: "eve@example.com" });
  const { data } = await root("GET", "/api/invitation?page_size=100");
  const items = data["items"] as { email: string; state: string }[];

  expect([status, message]).toEqual([
    502,
    "The mail server refused the mail, its sender or a recipient. It answered 451.",
  ]);
  expect(items.find(({ email }) => email === "eve@example.com")?.state).toBe("revoked");
});

test("a revoked link is refused, and guesses at links are slowed down", async () => {
  const { data, token } = await invite({ max_uses: 5 });
  const revoked = await root("DELETE", `/api/invitation/${String(idOf(data))}`);
  const again = await root("DELETE", `/api/invitation/${String(idOf(data))}`);
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) {
    statuses.push((await anyone("POST", "/api/user/invitation/check", { token })).status);
  }

  expect([revoked.status, again.status]).toEqual([200, 404]);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
});

test("admins invite below their own role, and members cannot invite", async () => {
  const admin = await newUser("inviting-admin", { role: "admin" });
  const member = await newUser("member", { team_id: await newTeam("of the member") });

  const results = [
    await invite({ role: "admin" }, admin),
    await invite({ role: "auditor" }, admin),
    await invite({ role: "admin" }),
    await invite({ role: "root" }),
    await invite({}, member),
    await invite({ team_role: "owner" }),
    await invite({ email: "x@example.com", max_uses: 2 }),
    await invite({ email: "x@example.com, y@example.com" }),
  ];

  expect(results.map(({ status }) => status)).toEqual([403, 200, 200, 400, 403, 400, 400, 400]);
  expect((await member("GET", "/api/invitation")).data).toEqual({ items: [] });
});

test("team owners invite members into their own team and group, and see no other invitation", async () => {
  const team = await newTeam("studio");
  const other = await newTeam("other studio");
  const group = await root("POST", "/api/group", { name: "artists" });
  const place = { team_id: team, team_role: "owner", group_id: group.data["id"] };
  const owner = await newUser("studio-owner", place);
  const foreign = await invite({ team_id: other });

  const results = [
    await invite({}, owner),
    await invite({ team_id: other }, owner),
    await invite({ role: "auditor" }, owner),
    await invite({ team_role: "owner" }, owner),
    await invite({ group_id: 9_999 }, owner),
  ];
  const listed = (await owner("GET", "/api/invitation")).data["items"];
  const path = `/api/invitation/${String(idOf(foreign.data))}`;

  expect(results.map(({ status }) => status)).toEqual([200, 403, 403, 403, 403]);
  expect(listed).toEqual([
    expect.objectContaining({ team: "studio", group: "artists", team_role: "member" }),
  ]);
  expect((await owner("GET", path)).status).toBe(404);
  expect((await owner("DELETE", path)).status).toBe(404);
});

test("a team owner with a quota can invite only if the team has a limit", async () => {
  const team = await newTeam("bounded");
  const owner = await newUser("bounded-owner", { team_id: team, team_role: "owner" });
  const self = await owner("GET", "/api/user/self");
  const quota = { quota_usd: 10, reason: "test" };
  await root("PUT", `/api/user/${Number(self.data["id"])}/quota`, quota);

  const before = await invite({}, owner);
  await root("PUT", `/api/team/${team}`, { budget_month_usd: 100 });
  const after = await invite({}, owner);

  expect([before.status, after.status]).toEqual([403, 200]);
});

test("an invitation can be accepted by single sign-on, although unknown people are refused", async () => {
  const team = await newTeam("signed on");
  const { token } = await invite({ team_id: team, role: "auditor" });
  const person = { sub: "grace", email: "grace@elsewhere.example", email_verified: true };

  const begun = await anyone("POST", "/api/user/invitation/sign-on", { token });
  const { status, session } = await comeBack(textIn(begun.data, "url"), begun.headers, person);
  const grace = askWith(opened.url, { cookie: session, "sec-fetch-site": "same-origin" });
  const again = await anyone("POST", "/api/user/invitation/sign-on", { token });

  expect(status).toBe(302);
  expect((await grace("GET", "/api/user/self")).data).toMatchObject({
    username: "grace",
    email: "grace@elsewhere.example",
    role: "auditor",
    team_id: team,
  });
  expect(again.status).toBe(401);
});

test("an invitation that ended during the single sign-on creates no user", async () => {
  const { data, token } = await invite({});
  const begun = await anyone("POST", "/api/user/invitation/sign-on", { token });
  await root("DELETE", `/api/invitation/${String(idOf(data))}`);

  const { status } = await comeBack(textIn(begun.data, "url"), begun.headers, { sub: "late" });

  expect(status).toBe(401);
});

async function comeBack(url: string, headers: Headers, person: Record<string, unknown>) {
  provider.person = person;
  const answer = provider.visit(url);
  const response = await fetch(`${opened.url}/api/user/oidc/callback?${answer.toString()}`, {
    redirect: "manual",
    headers: { cookie: headers.get("set-cookie")?.split(";")[0] ?? "" },
  });
  await response.arrayBuffer();
  const session = response.headers.getSetCookie().find((each) => each.startsWith("sluice_session"));
  return { status: response.status, session: session?.split(";")[0] ?? "" };
}

function idOf(data: Readonly<Record<string, unknown>>): unknown {
  const { invitation } = data as { invitation?: { id: number } };
  return invitation?.id;
}
