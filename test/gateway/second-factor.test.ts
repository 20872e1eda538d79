import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  asRoot,
  askWith,
  asUser,
  bearer,
  codeOf,
  cookieIn,
  logIn,
  openWithRoot,
  PASSWORD,
  ROOT,
  setUpSecondFactor,
  SLOW_MONOTONIC,
  textIn,
  tokenOf,
  type Ask,
  type Reply,
} from "#test/accounts.ts";
import type { TestGateway } from "#test/harness.ts";

const SECOND_FACTOR = "/api/user/self/second-factor";

/** Stands still until it is moved, so that every code is of a half minute that a test knows. */
let now = Date.now();
const clock = { now: () => now, monotonic: SLOW_MONOTONIC };
const nextHalfMinute = (): void => void (now += 30_000);

let opened: TestGateway;
beforeAll(async () => {
  const env = { SLUICE_TRUSTED_PROXIES: "127.0.0.1,::1" };
  opened = await openWithRoot({ clock, env });
});
afterAll(() => opened[Symbol.asyncDispose]());

let place = 0;
function elsewhere(): Record<string, string> {
  return { "x-forwarded-for": `198.51.100.${++place}` };
}

function tryLogin(login: object, headers = elsewhere()): Promise<Reply> {
  return askWith(opened.url)("POST", "/api/user/login", login, headers);
}

interface Enrolled {
  readonly login: { readonly username: string; readonly password: string };
  readonly ask: Ask;
  readonly code: () => string;
  readonly recoveryCodes: readonly string[];
}

/** A new user with an authenticator, whose last code was not used yet. */
async function enrol(username: string, role?: string): Promise<Enrolled> {
  await tokenOf(opened.url, username, role);
  const login = { username, password: PASSWORD };
  const headers = await logIn(opened.url, login);
  const ask = askWith(opened.url, headers);
  const begun = await ask("POST", SECOND_FACTOR, { password: PASSWORD });
  const secret = textIn(begun.data, "secret");
  const code = (): string => codeOf(secret, now);
  const confirmed = await ask("POST", `${SECOND_FACTOR}/confirm`, { code: code() });
  nextHalfMinute();
  return {
    login,
    ask: askWith(opened.url, { ...headers, cookie: cookieIn(confirmed) }),
    code,
    recoveryCodes: confirmed.data["recovery_codes"] as string[],
  };
}

describe("a login with a second factor", () => {
  test("accepts an authenticator's code, each code once", async () => {
    const { login, code, ask } = await enrol("ada");

    const first = await tryLogin({ ...login, code: code() });
    const replayed = await tryLogin({ ...login, code: code() });
    nextHalfMinute();
    const next = await tryLogin({ ...login, code: code() });

    expect([first.status, replayed.status, next.status]).toEqual([200, 401, 200]);
    expect(replayed.headers.has("set-cookie")).toBe(false);
    expect(replayed.data).toEqual({ second_factor: "wrong" });
    const self = await askWith(opened.url, { cookie: cookieIn(first) })("GET", "/api/user/self");
    expect(self.data).toMatchObject({ username: "ada", second_factor: true });
    // Whoever set it up stays logged in.
    expect((await ask("GET", "/api/user/self")).status).toBe(200);
  });

  test("reveals that it needs one only after the right password", async () => {
    const { login, code } = await enrol("hinted");

    const right = await tryLogin(login);
    const wrong = await tryLogin({ ...login, password: "not the password at all" });
    const both = await tryLogin({ ...login, password: "not the password at all", code: code() });
    const nobody = await tryLogin({ username: "nobody", password: PASSWORD, code: code() });

    expect(right.status).toBe(401);
    expect(right.data).toEqual({ second_factor: "required" });
    expect(right.headers.has("set-cookie")).toBe(false);
    expect(wrong.status).toBe(401);
    expect(wrong.body).not.toHaveProperty("data");
    expect([both.body, nobody.body]).toEqual([wrong.body, wrong.body]);
  });

  test("accepts a recovery code instead of a code, once", async () => {
    const { login, recoveryCodes } = await enrol("without-a-phone");
    const [code = ""] = recoveryCodes;

    expect(recoveryCodes).toHaveLength(10);
    expect((await tryLogin({ ...login, code: code.toUpperCase() })).status).toBe(200);
    expect((await tryLogin({ ...login, code })).status).toBe(401);
    expect((await tryLogin({ ...login, code: recoveryCodes[9] })).status).toBe(200);
  });

  test("limits guesses of codes like guesses of passwords, even between right passwords", async () => {
    const { login, code } = await enrol("guessed");
    const guesser = elsewhere();
    const statuses: number[] = [];
    for (let i = 0; i < 7; i++) {
      await tryLogin(login, guesser);
      statuses.push((await tryLogin({ ...login, code: `00000${i}` }, guesser)).status);
    }

    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect((await tryLogin({ ...login, code: code() }, guesser)).status).toBe(429);
    // Nobody else is held up.
    expect((await tryLogin({ ...login, code: code() })).status).toBe(200);
  });

  test("limits guesses of its password as without one", async () => {
    const { login } = await enrol("guessed-as-ever");
    const guesser = elsewhere();
    const guess = { ...login, password: "not the password at all", code: "000000" };
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await tryLogin(guess, guesser)).status);

    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });
});

describe("a second factor", () => {
  test("is set up with the password, and is inactive until one of its codes was shown", async () => {
    await tokenOf(opened.url, "careful");
    const login = { username: "careful", password: PASSWORD };
    const headers = { ...(await logIn(opened.url, login)), ...elsewhere() };
    const ask = askWith(opened.url, headers);
    const other = askWith(opened.url, await logIn(opened.url, login));

    expect((await ask("POST", SECOND_FACTOR, {})).status).toBe(403);
    expect((await ask("POST", SECOND_FACTOR, { password: "a guess" })).status).toBe(403);
    const begun = await ask("POST", SECOND_FACTOR, { password: PASSWORD });
    expect(textIn(begun.data, "uri")).toStartWith("otpauth://totp/Sluice:careful?secret=");
    const code = codeOf(textIn(begun.data, "secret"), now);
    const wrong = code === "000000" ? "111111" : "000000";
    expect((await ask("POST", `${SECOND_FACTOR}/confirm`, { code: wrong })).status).toBe(403);
    expect((await tryLogin(login)).status).toBe(200);

    expect((await ask("POST", `${SECOND_FACTOR}/confirm`, { code })).status).toBe(200);

    expect((await tryLogin(login)).status).toBe(401);
    expect((await other("GET", "/api/user/self")).status).toBe(401);
    expect((await ask("POST", `${SECOND_FACTOR}/confirm`, { code })).status).toBe(401);
  });

  test("can be replaced and removed only with a valid code of it", async () => {
    const { ask, code, login, recoveryCodes } = await enrol("replacer");
    const proof = { password: PASSWORD };
    const { headers } = await ask("GET", "/api/user/self");
    expect(headers.has("set-cookie")).toBe(false);

    expect((await ask("POST", SECOND_FACTOR, proof)).status).toBe(403);
    expect((await ask("DELETE", SECOND_FACTOR, proof)).status).toBe(403);
    expect((await ask("DELETE", SECOND_FACTOR, { code: code() })).status).toBe(403);
    const begun = await ask("POST", SECOND_FACTOR, { ...proof, code: code() });
    expect(begun.status).toBe(200);
    nextHalfMinute();
    // Until the new one is confirmed the old one holds.
    expect((await tryLogin({ ...login, code: code() })).status).toBe(200);
    const removed = await ask("DELETE", SECOND_FACTOR, { ...proof, code: recoveryCodes[0] });

    expect(removed.status).toBe(200);
    expect((await tryLogin(login)).status).toBe(200);
    expect((await ask("DELETE", SECOND_FACTOR, proof)).status).toBe(404);
  });

  test("can be removed from a user only by a higher role", async () => {
    const { login, ask, recoveryCodes } = await enrol("phone-lost");
    const boss = await enrol("boss-with-factor", "admin");
    const id = Number((await ask("GET", "/api/user/self")).data["id"]);
    const bossId = Number((await boss.ask("GET", "/api/user/self")).data["id"]);
    const admin = await asUser(opened.url, "taker", "admin");
    const auditor = await asUser(opened.url, "onlooker", "auditor");
    const remove = (by: Ask, of: number): Promise<Reply> =>
      by("DELETE", `/api/user/${of}/second-factor`);

    expect((await remove(auditor, id)).status).toBe(403);
    expect((await remove(admin, bossId)).status).toBe(403);
    expect((await remove(admin, id)).status).toBe(200);
    expect((await remove(admin, id)).status).toBe(404);
    expect((await tryLogin(login)).status).toBe(200);
    expect((await tryLogin({ ...login, code: recoveryCodes[0] })).status).toBe(200);
    expect((await remove(await asRoot(opened.url), bossId)).status).toBe(200);
  });

  test("survives a change of the password, and so does the login that changes it", async () => {
    const { ask, login, code } = await enrol("renewer");
    const password = "something else entirely";

    const changed = await ask("PUT", "/api/user/self", { password, current_password: PASSWORD });

    expect((await tryLogin({ ...login, password })).data).toEqual({ second_factor: "required" });
    expect((await tryLogin({ ...login, password, code: code() })).status).toBe(200);
    const self = askWith(opened.url, { cookie: cookieIn(changed) });
    expect((await self("GET", "/api/user/self")).status).toBe(200);
  });

  test("does not affect access tokens", async () => {
    const { ask } = await enrol("tokens-too");
    const token = textIn((await ask("POST", "/api/user/token")).data, "token");

    const self = await askWith(opened.url, bearer(token))("GET", "/api/user/self");

    expect(self.data).toMatchObject({ username: "tokens-too", second_factor: true });
  });
});

describe("if a second factor is required", () => {
  test("a login without one can only set one up, and has full access afterwards", async () => {
    await using gateway = await openWithRoot({ env: { SLUICE_REQUIRE_SECOND_FACTOR: "all" } });
    const { url } = gateway;
    const login = await askWith(url)("POST", "/api/user/login", ROOT);
    const headers = { cookie: cookieIn(login), "sec-fetch-site": "same-origin" };
    const ask = askWith(url, headers);

    expect(login.status).toBe(200);
    expect(login.data).toMatchObject({ set_up: "second_factor" });
    expect((await ask("GET", "/api/user/self")).status).toBe(401);
    expect((await ask("POST", "/api/user/token")).status).toBe(401);
    const all = askWith(url, await setUpSecondFactor(url, headers));

    expect((await all("GET", "/api/user/self")).status).toBe(200);
    expect((await all("POST", "/api/user/token")).status).toBe(200);
    expect((await ask("GET", "/api/user/self")).status).toBe(401);
  });

  test("a user who becomes an admin needs a second factor from then on, also after losing one", async () => {
    await using gateway = await openWithRoot({
      clock,
      env: { SLUICE_REQUIRE_SECOND_FACTOR: "admins" },
    });
    const { url } = gateway;
    const root = askWith(url, await setUpRoot(url));
    await root("POST", "/api/user", { username: "riser", password: PASSWORD });
    const login = { username: "riser", password: PASSWORD };
    const ask = askWith(url, await logIn(url, login));
    const { data: self } = await ask("GET", "/api/user/self");

    await root("PUT", `/api/user/${Number(self["id"])}`, { role: "admin" });
    expect((await ask("GET", "/api/user/self")).status).toBe(401);
    const risen = askWith(
      url,
      await setUpSecondFactor(url, await logIn(url, login), PASSWORD, now),
    );
    expect((await risen("GET", "/api/user")).status).toBe(200);
    await root("DELETE", `/api/user/${Number(self["id"])}/second-factor`);

    expect((await risen("GET", "/api/user")).status).toBe(401);
  });
});

describe("users", () => {
  test("end one of their sessions, which they know by its browser", async () => {
    await tokenOf(opened.url, "two-places");
    nextHalfMinute();
    const login = { username: "two-places", password: PASSWORD };
    const browser = `Browser/1.0 ${"x".repeat(500)}`;
    const cookie = cookieIn(await tryLogin(login, { "user-agent": browser }));
    const lost = askWith(opened.url, { cookie, "sec-fetch-site": "same-origin" });
    const token = askWith(opened.url, bearer(await tokenOf(opened.url, "other-person")));
    const { data } = await lost("GET", "/api/user/self/sessions");
    const items = data["items"] as { id: string; user_agent: string; is_own: boolean }[];
    const own = items.find((each) => each.is_own);
    const path = `/api/user/self/sessions/${own?.id}`;

    expect(own?.user_agent).toBe(browser.slice(0, 160));
    expect(cookie).not.toContain(own?.id ?? "");
    expect((await token("DELETE", path)).status).toBe(404);
    expect((await lost("GET", "/api/user/self")).status).toBe(200);
    expect((await lost("DELETE", path)).status).toBe(200);
    expect((await lost("GET", "/api/user/self")).status).toBe(401);
  });

  test("list their sessions, and end all except the current one", async () => {
    await tokenOf(opened.url, "many-places");
    nextHalfMinute();
    const login = { username: "many-places", password: PASSWORD };
    const from = async (address: string): Promise<Ask> => {
      const place = { "x-forwarded-for": address };
      const cookie = cookieIn(await tryLogin(login, place));
      return askWith(opened.url, { cookie, "sec-fetch-site": "same-origin", ...place });
    };
    const cafe = await from("203.0.113.77");
    nextHalfMinute();
    const home = await from("2001:db8:1:2::3");

    const { data } = await home("GET", "/api/user/self/sessions");
    const { data: account } = await home("GET", "/api/user/self/account");
    const root = await asRoot(opened.url);
    const { data: self } = await home("GET", "/api/user/self");
    const path = `/api/user/${Number(self["id"])}/sessions`;
    const seen = await root("GET", path);
    const [, second] = seen.data["items"] as { id: string }[];
    const one = await root("DELETE", `${path}/${second?.id}`);
    const again = await root("DELETE", `${path}/${second?.id}`);
    const refused = [await home("GET", path), await root("GET", "/api/user/1/sessions")];
    const ended = await home("POST", "/api/user/self/sessions/end");

    // The first one made the user's token.
    expect(data["items"]).toMatchObject([
      { network: "2001:db8:1::/48", is_own: true, created_at: Math.floor(now / 1_000) },
      { network: "203.0.113.0/24", is_own: false },
      { is_own: false },
    ]);
    expect(JSON.stringify(data)).not.toContain("203.0.113.77");
    expect(account).toEqual({
      user: expect.objectContaining({ username: "many-places", kind: "person" }),
      team_name: null,
      group_name: null,
      has_password: true,
      second_factor: { is_set_up: false, is_required: false, recovery_codes: 0 },
      issuers: [],
      sessions: data["items"],
    });
    expect(seen.data["items"]).toMatchObject([
      { network: "2001:db8:1::/48", is_own: false },
      { network: "203.0.113.0/24" },
      {},
    ]);
    expect([one.status, again.status]).toEqual([200, 404]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403]);
    expect(ended.data).toEqual({ ended: 1 });
    expect((await cafe("GET", "/api/user/self")).status).toBe(401);
    expect((await home("GET", "/api/user/self")).status).toBe(200);
  });
});

async function setUpRoot(url: string): Promise<Record<string, string>> {
  return await setUpSecondFactor(url, await logIn(url, ROOT), ROOT.password, now);
}
