import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  askWith,
  asRoot,
  asUser,
  bearer,
  logIn,
  openWithRoot,
  textIn,
  PASSWORD,
  ROOT,
  SLOW_MONOTONIC,
  tokenOf,
} from "#test/accounts.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

const CLOCK = { now: () => Date.now(), monotonic: SLOW_MONOTONIC };
const PROXIED = { SLUICE_TRUSTED_PROXIES: "127.0.0.1,::1" };

let opened: TestGateway;
beforeAll(async () => {
  opened = await openWithRoot({ clock: CLOCK, env: PROXIED });
});
afterAll(() => opened[Symbol.asyncDispose]());

/** As if from somewhere else, so that no test waits for another one's failures. */
let place = 0;
function elsewhere(): Record<string, string> {
  return { "x-forwarded-for": `198.51.100.${++place}` };
}

function tryLogin(login: object, headers: Readonly<Record<string, string>>, at = opened) {
  return askWith(at.url)("POST", "/api/user/login", login, headers);
}

describe("logging in", () => {
  test("[A5-3] by address or by name gives access that an API key does not", async () => {
    for (const login of [ROOT, { username: "root", password: ROOT.password }]) {
      const ask = askWith(opened.url, await logIn(opened.url, login));
      expect((await ask("GET", "/api/user/self")).data).toMatchObject({
        username: "root",
        email: ROOT.email,
        role: "root",
        status: 1,
      });
      expect((await ask("GET", "/api/token")).status).toBe(200);
    }
  });

  test("sets a cookie that scripts cannot read, and that requires encryption if the gateway is encrypted", async () => {
    const plain = await tryLogin(ROOT, elsewhere());
    const secure = await tryLogin(ROOT, { ...elsewhere(), "x-forwarded-proto": "https" });

    const cookie = plain.headers.get("set-cookie") ?? "";
    expect(cookie).toContain("HttpOnly; SameSite=Lax");
    expect(cookie).not.toContain("Secure");
    expect(secure.headers.get("set-cookie")).toEndWith("; Secure");
    expect(JSON.stringify(plain.body)).not.toContain(/=([^;]+)/.exec(cookie)?.[1] ?? "?");
  });

  test("gives the same error for a wrong password and an unknown user", async () => {
    const password = "not the password at all";
    const answers = [
      await tryLogin({ email: ROOT.email, password }, elsewhere()),
      await tryLogin({ email: "nobody@example.com", password }, elsewhere()),
      await tryLogin({ username: "root", password }, elsewhere()),
    ];

    for (const { status, body, headers } of answers) {
      expect(status).toBe(401);
      expect(body).toEqual(answers[0]?.body ?? body);
      expect(headers.has("set-cookie")).toBe(false);
    }
  });

  test("takes the same time for an unknown user and a known one", async () => {
    await using slow = await openWithRoot({ clock: CLOCK, env: PROXIED, hasSlowPasswords: true });
    const password = "not the password at all";
    // The processor's time: how long an answer takes depends on the machine's other programs, too.
    const timed = async (email: string): Promise<number> => {
      const times: number[] = [];
      for (let i = 0; i < 9; i++) {
        const before = process.cpuUsage();
        await tryLogin({ email, password }, elsewhere(), slow);
        times.push(process.cpuUsage(before).user);
      }
      return times.toSorted((a, b) => a - b)[4] ?? 0;
    };

    const known = await timed(ROOT.email);
    const unknown = await timed("nobody@example.com");

    // Without the slow hash an answer takes less than a tenth of the time.
    expect(unknown / known).toBeWithin(0.5, 2);
  });

  test("is delayed only for clients with failed attempts", async () => {
    await asUser(opened.url, "slow");
    const guesser = elsewhere();
    const guess = { username: "slow", password: "not the password at all" };
    const statuses: number[] = [];
    for (let i = 0; i < 7; i++) statuses.push((await tryLogin(guess, guesser)).status);

    const right = { username: "slow", password: PASSWORD };
    const blocked = await tryLogin(right, guesser);

    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect(blocked.status).toBe(429);
    expect(Number(blocked.headers.get("retry-after"))).toBeWithin(1, 3);
    expect((await tryLogin(right, elsewhere())).status).toBe(200);
  });

  test("[A5-3] is refused if the request comes from another site's page", async () => {
    const { status } = await tryLogin(ROOT, { ...elsewhere(), "sec-fetch-site": "cross-site" });

    expect(status).toBe(403);
  });

  test.each([{}, { email: ROOT.email }, { password: "x" }, { email: 5, password: "x" }])(
    "with %j is refused as invalid",
    async (login) => {
      expect((await tryLogin(login, elsewhere())).status).toBe(400);
    },
  );
});

describe("a session", () => {
  test("ends with its logout, and not before", async () => {
    const headers = await logIn(opened.url, ROOT);
    const other = await asRoot(opened.url);
    const ask = askWith(opened.url, headers);

    expect((await ask("POST", "/api/user/logout")).status).toBe(200);

    expect((await ask("GET", "/api/user/self")).status).toBe(401);
    expect((await other("GET", "/api/user/self")).status).toBe(200);
  });

  test("refuses changes from another site's page", async () => {
    const { cookie = "" } = await logIn(opened.url, ROOT);
    const { host } = new URL(opened.url);
    const cases: [Record<string, string>, number][] = [
      [{ "sec-fetch-site": "cross-site" }, 403],
      [{ "sec-fetch-site": "same-site" }, 403],
      [{ origin: "https://evil.example" }, 403],
      [{ origin: "null" }, 403],
      [{}, 403],
      [{ "sec-fetch-site": "same-origin" }, 200],
      [{ origin: `http://${host}` }, 200],
    ];

    for (const [i, [headers, expected]] of cases.entries()) {
      const ask = askWith(opened.url, { cookie, ...headers });
      const { status } = await ask("POST", "/api/token", { name: `from a page ${i}` });
      expect({ headers, status }).toEqual({ headers, status: expected });
      expect((await ask("GET", "/api/user/self")).status).toBe(200);
    }
  });
});

describe("an access token", () => {
  test("is created by a program; a request with only a cookie gets an explanation", async () => {
    const { cookie = "" } = await logIn(opened.url, ROOT);

    const alone = await askWith(opened.url, { cookie })("POST", "/api/user/token");
    const named = askWith(opened.url, { cookie, origin: opened.url });

    expect(alone.status).toBe(403);
    expect(alone.body.message).toContain("'Origin'");
    expect((await named("POST", "/api/user/token")).status).toBe(200);
    expect((await named("DELETE", "/api/user/token")).status).toBe(200);
  });

  test("is valid until it is revoked; a new token does not end it", async () => {
    const first = await tokenOf(opened.url, "tokens");
    const ask = askWith(opened.url, bearer(first));
    const second = textIn((await ask("POST", "/api/user/token")).data, "token");
    const again = askWith(opened.url, bearer(second));

    for (const each of [ask, again]) {
      expect((await each("GET", "/api/user/self")).data["username"]).toBe("tokens");
    }
    expect((await again("DELETE", "/api/user/token")).status).toBe(200);
    for (const each of [ask, again]) {
      expect((await each("GET", "/api/user/self")).status).toBe(401);
    }
  });

  test("is not an API key, and is accepted in its own header only", async () => {
    const token = await tokenOf(opened.url, "header-only");

    const call = await fetch(`${opened.url}/v1/models`, { headers: bearer(token) });
    expect(call.status).toBe(401);
    const nobody = askWith(opened.url);
    expect((await nobody("GET", `/api/user/self?key=${token}`)).status).toBe(401);
    expect((await nobody("GET", "/api/user/self", undefined, { "x-api-key": token })).status).toBe(
      401,
    );
  });
});

describe("users", () => {
  test("can change their password only with the current one, which ends their other logins", async () => {
    await asUser(opened.url, "changer");
    const login = { username: "changer", password: PASSWORD };
    const old = askWith(opened.url, await logIn(opened.url, login));
    const ask = askWith(opened.url, await logIn(opened.url, login));
    const password = "something else entirely";

    const wrong = await ask("PUT", "/api/user/self", { password, current_password: "a guess" });
    const right = await ask("PUT", "/api/user/self", { password, current_password: PASSWORD });

    expect([wrong.status, right.status]).toEqual([403, 200]);
    expect((await old("GET", "/api/user/self")).status).toBe(401);
    const cookie = right.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect((await askWith(opened.url, { cookie })("GET", "/api/user/self")).status).toBe(200);
    expect((await tryLogin(login, elsewhere())).status).toBe(401);
    expect((await tryLogin({ ...login, password }, elsewhere())).status).toBe(200);
  });

  test("who are disabled are logged out, and their keys are refused until they are enabled", async () => {
    const root = await asRoot(opened.url);
    const ask = await asUser(opened.url, "leaver");
    const { data: self } = await ask("GET", "/api/user/self");
    const { data: token } = await ask("POST", "/api/token", { name: "theirs" });
    const call = () => fetch(`${opened.url}/v1/models`, { headers: bearer(textIn(token, "key")) });
    expect((await call()).status).toBe(200);

    await root("PUT", `/api/user/${Number(self["id"])}`, { status: 2 });

    expect((await call()).status).toBe(401);
    expect((await ask("GET", "/api/user/self")).status).toBe(401);
    const login = { username: "leaver", password: PASSWORD };
    expect((await tryLogin(login, elsewhere())).status).toBe(401);
    await root("PUT", `/api/user/${Number(self["id"])}`, { status: 1 });
    expect((await call()).status).toBe(200);
  });

  test("an admin cannot create or change users of the same or a higher role", async () => {
    const admin = await asUser(opened.url, "an-admin", "admin");
    const user = await asUser(opened.url, "a-user");
    const make = (role: string) =>
      admin("POST", "/api/user", { username: `made-${role}`, role, password: PASSWORD });

    expect((await make("user")).status).toBe(200);
    expect((await make("auditor")).status).toBe(200);
    expect((await make("admin")).status).toBe(403);
    expect((await make("root")).status).toBe(403);
    expect((await admin("PUT", "/api/user/1", { password: PASSWORD })).status).toBe(403);
    const { data: own } = await user("GET", "/api/user/self");
    expect((await admin("PUT", `/api/user/${Number(own["id"])}`, { role: "admin" })).status).toBe(
      403,
    );
    expect((await user("PUT", `/api/user/${Number(own["id"])}`, { role: "root" })).status).toBe(
      403,
    );
  });

  test("have unique names and addresses", async () => {
    const root = await asRoot(opened.url);
    const fields = { username: "same", email: "Same@Example.com" };

    expect((await root("POST", "/api/user", fields)).data["email"]).toBe("same@example.com");
    expect((await root("POST", "/api/user", { username: "same" })).status).toBe(400);
    expect(
      (await root("POST", "/api/user", { username: "other", email: "same@example.com" })).status,
    ).toBe(400);
  });

  test.each(["short", "aaaaaaaaaaaaaaaaaaaa", "x".repeat(257)])(
    "cannot set the password %s",
    async (password) => {
      const root = await asRoot(opened.url);
      expect((await root("POST", "/api/user", { username: "weak", password })).status).toBe(400);
    },
  );
});

describe("a gateway without a login", () => {
  test("has no default password; the first start shows once how to set one", async () => {
    await using gateway = await openTestGateway({ yaml: "sandbox: auto" });
    const ask = askWith(gateway.url);
    const token = gateway.gateway.setupToken ?? "";
    const login = { email: "First@Example.com", password: PASSWORD };

    const wrong = await ask("POST", "/api/user/setup", { ...login, token: `${token}x` });
    const weak = await ask("POST", "/api/user/setup", { ...login, token, password: "short" });
    const both = await Promise.all([
      ask("POST", "/api/user/setup", { ...login, token }),
      ask("POST", "/api/user/setup", { ...login, token, email: "second@example.com" }),
    ]);

    expect([wrong.status, weak.status]).toEqual([401, 400]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 401]));
    const winner = both.find(({ status }) => status === 200)?.data["email"];
    expect(await logIn(gateway.url, { email: winner, password: PASSWORD })).toHaveProperty(
      "cookie",
    );
  });

  test("keeps its first login, even if the settings change later", async () => {
    await using first = await openWithRoot();
    expect(first.gateway.setupToken).toBeUndefined();
    await first.gateway.close();

    await using again = await openTestGateway({
      yaml: "sandbox: auto",
      dataDir: first.dataDir,
      env: { SLUICE_ADMIN_EMAIL: "new@example.com", SLUICE_ADMIN_PASSWORD: PASSWORD },
    });

    expect(await logIn(again.url, ROOT)).toHaveProperty("cookie");
  });
});
