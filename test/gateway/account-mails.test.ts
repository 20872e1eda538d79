import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { asRoot, askWith, logIn, openWithRoot, PASSWORD, type Ask } from "#test/accounts.ts";
import type { TestGateway } from "#test/harness.ts";
import { openSmtpReceiver } from "#test/smtp-receiver.ts";
import { waitFor } from "#test/wait.ts";

const PUBLIC_URL = "https://gateway.example";

let mail: Awaited<ReturnType<typeof openSmtpReceiver>>;
let opened: TestGateway;
let root: Ask;
beforeAll(async () => {
  mail = await openSmtpReceiver();
  opened = await openWithRoot({
    env: {
      SLUICE_PUBLIC_URL: PUBLIC_URL,
      SLUICE_TRUSTED_PROXIES: "127.0.0.1,::1",
      SLUICE_MAIL_SMTP_URL: mail.url,
      SLUICE_MAIL_FROM: "sluice@example.com",
    },
  });
  root = await asRoot(opened.url);
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await mail[Symbol.asyncDispose]();
});

let count = 0;
let anyone: Ask;
beforeEach(() => {
  mail.mails.length = 0;
  anyone = askWith(opened.url, { "x-forwarded-for": `198.51.100.${++count}` });
});

async function set(name: string, value: string): Promise<void> {
  const { status } = await root("PUT", `/api/setting/${name}`, { value });
  expect(status).toBe(200);
}

/** The next mail to an address, and the secret of its link. */
async function mailTo(address: string) {
  const find = () => mail.mails.find(({ to }) => to.includes(address));
  await waitFor(() => find() !== undefined);
  const found = find();
  const text = found?.text ?? "";
  const [, page = "", token = ""] = /\/account\/([a-z-]+)#(\S+)/.exec(text) ?? [];
  return { subject: found?.headers["subject"], text, page, token };
}

async function newUser(username: string, email: string): Promise<{ id: number; ask: Ask }> {
  const { data } = await root("POST", "/api/user", { username, email, password: PASSWORD });
  const headers = await logIn(opened.url, { username, password: PASSWORD });
  return { id: Number(data["id"]), ask: askWith(opened.url, headers) };
}

describe("self-registration", () => {
  test("is closed unless the operator opens it", async () => {
    const shown = await anyone("GET", "/api/user/register");
    const person = { username: "eve", password: PASSWORD };
    const tried = [
      await anyone("POST", "/api/user/register", person),
      await anyone("POST", "/api/user/register/mail", { email: "eve@example.com" }),
      await anyone("POST", "/api/user/register/confirm", { ...person, token: "x" }),
    ];

    expect(shown.data).toEqual({ mode: "off", domains: [] });
    expect(tried.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  test("by mail creates a user with the default group, quota and budgets", async () => {
    await set("registration.mode", "mail");
    await set("registration.domains", "example.com");
    await set("registration.group", "newcomers");
    await set("registration.quota", "5");
    await set("registration.budget_day", "1");
    const group = await root("POST", "/api/group", { name: "newcomers" });

    const begun = await anyone("POST", "/api/user/register/mail", { email: "Ada@Example.com" });
    const { page, token } = await mailTo("ada@example.com");
    const person = { token, username: "ada", password: PASSWORD };
    const finished = await anyone("POST", "/api/user/register/confirm", person);
    const again = await anyone("POST", "/api/user/register/confirm", { ...person, username: "b" });
    const cookie = finished.headers.get("set-cookie")?.split(";")[0] ?? "";
    const ada = askWith(opened.url, { cookie, "sec-fetch-site": "same-origin" });

    expect([begun.status, page, finished.status, again.status]).toEqual([
      200,
      "register",
      200,
      401,
    ]);
    expect((await ada("GET", "/api/user/self")).data).toMatchObject({
      username: "ada",
      email: "ada@example.com",
      role: "user",
      group_id: group.data["id"] ?? null,
    });
    expect((await ada("GET", "/api/user/self/quota")).data).toMatchObject({
      quota_usd: 5,
      budget_day_usd: 1,
      budget_month_usd: null,
    });
  });

  test("answers the same for an address that has an account, whose owner gets a notice", async () => {
    const known = await anyone("POST", "/api/user/register/mail", { email: "ada@example.com" });
    const unknown = await anyone("POST", "/api/user/register/mail", { email: "new@example.com" });

    expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
    expect((await mailTo("ada@example.com")).subject).toBe("You already have an account");
    expect((await mailTo("ada@example.com")).token).toBe("");
    expect((await mailTo("new@example.com")).page).toBe("register");
  });

  test("refuses addresses of other domains, and lists the allowed ones", async () => {
    const shown = await anyone("GET", "/api/user/register");
    const other = await anyone("POST", "/api/user/register/mail", { email: "a@example.org" });
    const below = await anyone("POST", "/api/user/register/mail", { email: "a@x.example.com" });

    expect(shown.data).toEqual({ mode: "mail", domains: ["example.com"] });
    expect([other.status, below.status]).toEqual([400, 400]);
    expect(mail.mails).toEqual([]);
  });

  test("sends few mails to one address, and few for one client", async () => {
    const toOne: number[] = [];
    for (let i = 0; i < 6; i++) {
      const from = askWith(opened.url, { "x-forwarded-for": `192.0.2.${i + 1}` });
      const body = { email: "target@example.com" };
      toOne.push((await from("POST", "/api/user/register/mail", body)).status);
    }
    const byOne: number[] = [];
    for (let i = 0; i < 6; i++) {
      const body = { email: `target-${i}@example.com` };
      byOne.push((await anyone("POST", "/api/user/register/mail", body)).status);
    }

    expect(toOne).toEqual([200, 200, 200, 200, 200, 429]);
    expect(byOne).toEqual([200, 200, 200, 200, 200, 429]);
  });

  test("is refused while its group does not exist, since other limits would apply", async () => {
    await set("registration.group", "nowhere");
    await anyone("POST", "/api/user/register/mail", { email: "late@example.com" });
    const { token } = await mailTo("late@example.com");
    const person = { token, username: "late", password: PASSWORD };
    const refused = await anyone("POST", "/api/user/register/confirm", person);
    await set("registration.group", "newcomers");
    const accepted = await anyone("POST", "/api/user/register/confirm", person);

    expect([refused.status, accepted.status]).toEqual([503, 200]);
  });

  test("without mail completes the name, so that it does not tell which names exist", async () => {
    await set("registration.mode", "open");
    const person = { username: "root", password: PASSWORD };
    const made = await anyone("POST", "/api/user/register", person);
    const byMail = await anyone("POST", "/api/user/register/mail", { email: "x@example.com" });
    await set("registration.mode", "off");

    expect(made.status).toBe(200);
    expect(made.data["username"]).toMatch(/^root-[a-z0-9]{6}$/);
    expect(made.data).toMatchObject({ email: null, role: "user", display_name: "root" });
    expect(byMail.status).toBe(404);
  });
});

describe("a forgotten password", () => {
  test("is replaced by a mailed link, once, and all other logins end", async () => {
    const { id, ask } = await newUser("grace", "grace@example.com");
    const password = "another long password";

    await anyone("POST", "/api/user/password/forgot", { email: "Grace@example.com" });
    const { page, token } = await mailTo("grace@example.com");
    mail.mails.length = 0;
    const reset = await anyone("POST", "/api/user/password/reset", { token, password });
    const again = await anyone("POST", "/api/user/password/reset", { token, password: PASSWORD });

    expect([page, reset.status, again.status]).toEqual(["reset-password", 200, 401]);
    expect((await ask("GET", "/api/user/self")).status).toBe(401);
    expect((await logIn(opened.url, { username: "grace", password }))["cookie"]).toBeTruthy();
    expect((await mailTo("grace@example.com")).subject).toBe("Your password was changed");
    expect(await actorsOf("POST /api/user/password/reset", id)).toContain("mail_link");
  });

  test("is answered the same for unknown addresses, disabled users and users without a password", async () => {
    const { id } = await newUser("disabled", "disabled@example.com");
    await root("PUT", `/api/user/${id}`, { status: 2 });
    await root("POST", "/api/user", { username: "no-password", email: "sso@example.com" });
    await newUser("known", "known@example.com");
    const names = ["nobody", "disabled", "sso", "known"];

    const answers = await Promise.all(
      names.map((name) =>
        anyone("POST", "/api/user/password/forgot", { email: `${name}@example.com` }),
      ),
    );
    await mailTo("known@example.com");

    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
    expect(mail.mails.map(({ to }) => to)).toEqual([["known@example.com"]]);
  });

  test("a link is void after the address of the account was changed", async () => {
    const { id } = await newUser("mover", "mover@example.com");
    await anyone("POST", "/api/user/password/forgot", { email: "mover@example.com" });
    const { token } = await mailTo("mover@example.com");
    await root("PUT", `/api/user/${id}`, { email: "moved@example.com" });

    const body = { token, password: "another long password" };
    expect((await anyone("POST", "/api/user/password/reset", body)).status).toBe(401);
  });
});

describe("a new address", () => {
  test("counts once its link is opened, and the former address gets a notice", async () => {
    const { ask } = await newUser("hopper", "hopper@example.com");
    const body = { email: "Hopper@new.example", current_password: PASSWORD };

    const asked = await ask("PUT", "/api/user/self", body);
    const { page, token } = await mailTo("hopper@new.example");
    const confirmed = await anyone("POST", "/api/user/email/confirm", { token });
    const again = await anyone("POST", "/api/user/email/confirm", { token });

    expect([asked.status, asked.data["email"]]).toEqual([200, "hopper@example.com"]);
    expect(asked.body.message).toBe("Open the link that was sent to the new address.");
    expect([page, confirmed.status, again.status]).toEqual(["confirm-email", 200, 401]);
    expect((await ask("GET", "/api/user/self")).data["email"]).toBe("hopper@new.example");
    expect((await mailTo("hopper@example.com")).subject).toBe("Your address was changed");
  });

  test("needs the password, and a link for another purpose does not confirm it", async () => {
    const { ask } = await newUser("lovelace", "lovelace@example.com");
    const wrong = { email: "b@example.com", current_password: "not the password" };
    const statuses = [
      (await ask("PUT", "/api/user/self", { email: "b@example.com" })).status,
      (await ask("PUT", "/api/user/self", wrong)).status,
    ];
    await anyone("POST", "/api/user/password/forgot", { email: "lovelace@example.com" });
    const { token } = await mailTo("lovelace@example.com");
    const crossed = await anyone("POST", "/api/user/email/confirm", { token });

    expect([...statuses, crossed.status]).toEqual([403, 403, 401]);
  });

  test("of another user is told only to who can read its mail", async () => {
    await newUser("holder", "holder@example.com");
    const { ask } = await newUser("wisher", "wisher@example.com");
    const body = { email: "holder@example.com", current_password: PASSWORD };

    const asked = await ask("PUT", "/api/user/self", body);
    const { token } = await mailTo("holder@example.com");
    const confirmed = await anyone("POST", "/api/user/email/confirm", { token });

    expect([asked.status, confirmed.status]).toEqual([200, 400]);
    expect((await ask("GET", "/api/user/self")).data["email"]).toBe("wisher@example.com");
  });

  test("by an admin counts at once, can be removed, and is announced to the former address", async () => {
    const { id, ask } = await newUser("turing", "turing@example.com");

    const changed = await root("PUT", `/api/user/${id}`, { email: "alan@example.com" });
    const notice = await mailTo("turing@example.com");
    const taken = await root("PUT", `/api/user/${id}`, { email: "root@example.com" });
    const removed = await root("PUT", `/api/user/${id}`, { email: null });

    expect([changed.data["email"], taken.status]).toEqual(["alan@example.com", 400]);
    expect(notice.subject).toBe("Your address was changed");
    expect(removed.data["email"]).toBeNull();
    expect((await ask("GET", "/api/user/self")).data["email"]).toBeNull();
  });
});

test("an admin can send a test mail, and other users cannot", async () => {
  const { ask } = await newUser("curious", "curious@example.com");

  const sent = await root("POST", "/api/mail/test", { to: "ops@example.org" });
  const refused = await ask("POST", "/api/mail/test", { to: "ops@example.org" });

  expect([sent.status, refused.status]).toEqual([200, 403]);
  expect((await mailTo("ops@example.org")).subject).toBe("Test of the gateway's mail");
  expect(mail.mails.filter(({ to }) => to.includes("ops@example.org"))).toHaveLength(1);
});

/** How the actors of an action proved who they are. */
async function actorsOf(action: string, userId: number): Promise<readonly unknown[]> {
  const query = new URLSearchParams({ action, actor: String(userId) });
  const { data } = await root("GET", `/api/audit?${query.toString()}`);
  return (data["items"] as { proof: string }[]).map(({ proof }) => proof);
}
