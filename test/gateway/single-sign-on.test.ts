import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { exportSPKI, generateKeyPair, importJWK, SignJWT } from "jose";
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
  textIn,
  type Ask,
} from "#test/accounts.ts";
import type { TestGateway } from "#test/harness.ts";
import { CLIENT, openTestProvider, PUBLIC_URL, signOnSettings } from "#test/identity-provider.ts";
import type { Draft, TestProvider } from "#test/identity-provider.ts";

const BEGIN = "/api/user/oidc/login";
const CALLBACK = "/api/user/oidc/callback";

let provider: TestProvider;
let opened: TestGateway;
let root: Ask;
beforeAll(async () => {
  provider = await openTestProvider();
  const env = { ...signOnSettings(provider.issuer), SLUICE_TRUSTED_PROXIES: "127.0.0.1,::1" };
  opened = await openWithRoot({ env });
  root = await asRoot(opened.url);
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});
beforeEach(() => {
  provider.forge = undefined;
  provider.userinfo = undefined;
});

let count = 0;
/** Somebody whom no test knows yet. */
function newPerson(more: object = {}) {
  const name = `person-${++count}`;
  return { sub: `subject of ${name}`, email: `${name}@example.com`, email_verified: true, ...more };
}

interface Trip {
  readonly location: string;
  readonly cookie: string;
}

async function begin(path = BEGIN, url = opened.url): Promise<Trip> {
  const response = await fetch(url + path, { redirect: "manual" });
  await response.arrayBuffer();
  const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
  return { location: response.headers.get("location") ?? "", cookie };
}

interface Arrival {
  readonly status: number;
  readonly location: string | null;
  readonly message: string;
  readonly ask: Ask;
}

/** What a browser does that was sent back. */
async function comeBack(
  answer: URLSearchParams,
  cookie: string,
  url = opened.url,
): Promise<Arrival> {
  const place = { "x-forwarded-for": `198.51.100.${++count % 250}` };
  const response = await fetch(`${url}${CALLBACK}?${answer.toString()}`, {
    redirect: "manual",
    headers: { cookie, "sec-fetch-site": "cross-site", ...place },
  });
  const text = await response.text();
  const session = response.headers.getSetCookie().find((each) => each.startsWith("sluice_session"));
  const own = { cookie: session?.split(";")[0] ?? "", "sec-fetch-site": "same-origin", ...place };
  return {
    status: response.status,
    location: response.headers.get("location"),
    message: text === "" ? "" : String((JSON.parse(text) as { message: string }).message),
    ask: askWith(url, own),
  };
}

async function signOn(person: object, path = BEGIN): Promise<Arrival> {
  provider.person = { ...person };
  const { location, cookie } = await begin(path);
  return await comeBack(provider.visit(location), cookie);
}

/** A login in which the provider gives this in place of its own token. */
async function signOnWith(forge: TestProvider["forge"]): Promise<Arrival> {
  provider.forge = forge;
  return await signOn(newPerson());
}

describe("a login by single sign-on", () => {
  test("creates a user on the first visit, and finds the same one on the next", async () => {
    const person = newPerson({ name: "Ada L.", preferred_username: "Ada@Home" });

    const first = await signOn(person);
    const { data: self } = await first.ask("GET", "/api/user/self");
    const again = await signOn({ sub: person.sub, email: "new@example.com", email_verified: true });

    expect([first.status, first.location]).toEqual([302, "/"]);
    expect(self).toMatchObject({ username: "ada", email: person.email, role: "user" });
    expect(self["display_name"]).toBe("Ada L.");
    expect((await again.ask("GET", "/api/user/self")).data).toEqual(self);
  });

  test("sends the browser to the provider with a challenge, and keeps the verifier", async () => {
    const { location, cookie } = await begin();
    const url = new URL(location);

    expect(url.origin + url.pathname).toBe(`${provider.issuer}/authorize`);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: "code",
      client_id: CLIENT.id,
      redirect_uri: `${PUBLIC_URL}${CALLBACK}`,
      code_challenge_method: "S256",
    });
    for (const name of ["state", "nonce", "code_challenge"]) {
      expect((url.searchParams.get(name) ?? "").length).toBeGreaterThan(30);
    }
    const kept = Buffer.from(cookie.split("=")[1] ?? "", "base64url").toString("latin1");
    expect(kept).not.toContain(url.searchParams.get("state") ?? "?");
  });

  test("sets its cookie for the return path, also if the public URL has a path", async () => {
    const env = {
      ...signOnSettings(provider.issuer),
      SLUICE_PUBLIC_URL: "https://example.com/models/",
    };
    await using below = await openWithRoot({ env });

    const response = await fetch(below.url + BEGIN, { redirect: "manual" });
    const [, path = ""] = /; Path=([^;]+)/.exec(response.headers.get("set-cookie") ?? "") ?? [];
    const back = new URL(response.headers.get("location") ?? "").searchParams.get("redirect_uri");

    expect(path).toBe("/models/api/user/oidc");
    expect(back).toBe(`https://example.com${path}/callback`);
  });

  test("ends at the requested page if it is on the gateway", async () => {
    const path = encodeURIComponent("/console/keys?page=2");
    const arrival = await signOn(newPerson(), `${BEGIN}?return_to=${path}`);
    expect(arrival.location).toBe("/console/keys?page=2");

    for (const evil of ["//evil.example", "https://evil.example", "/\\evil.example", "/.//e.x"]) {
      const response = await fetch(`${opened.url}${BEGIN}?return_to=${encodeURIComponent(evil)}`, {
        redirect: "manual",
      });
      expect(response.status).toBe(400);
      expect(response.headers.has("location")).toBe(false);
    }
  });

  test("requests userinfo if the token has no address", async () => {
    await using thin = await openTestProvider();
    const { sub, ...profile } = newPerson();
    thin.person = { sub };
    thin.userinfo = { sub, ...profile };
    await using gateway = await openWithRoot({ env: signOnSettings(thin.issuer) });
    const trip = async (): Promise<Arrival> => {
      const { location, cookie } = await begin(BEGIN, gateway.url);
      return await comeBack(thin.visit(location), cookie, gateway.url);
    };

    const honest = await trip();
    thin.userinfo = { ...newPerson(), sub: "somebody else" };
    const swapped = await trip();

    expect((await honest.ask("GET", "/api/user/self")).data["email"]).toBe(profile.email);
    expect(swapped.status).toBe(401);
  });

  test("refuses a name that is already taken", async () => {
    const one = await signOn(newPerson({ preferred_username: "twin" }));
    const other = await signOn(newPerson({ preferred_username: "Twin" }));
    const names = [];
    for (const { ask } of [one, other]) {
      names.push((await ask("GET", "/api/user/self")).data["username"]);
    }

    expect(names[0]).toBe("twin");
    expect(names[1]).toStartWith("twin-");
  });

  test("twice at the same moment creates one user", async () => {
    provider.person = newPerson();
    const trips = await Promise.all([begin(), begin(), begin()]);

    const arrivals = await Promise.all(
      trips.map(({ location, cookie }) => comeBack(provider.visit(location), cookie)),
    );
    const selves = await Promise.all(arrivals.map(({ ask }) => ask("GET", "/api/user/self")));

    expect(new Set(selves.map(({ data }) => data["id"])).size).toBe(1);
    expect(selves.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test("has the configured provider name, and is not found if it is not configured", async () => {
    await using gateway = await openWithRoot();
    const nobody = askWith(opened.url);

    expect((await nobody("GET", "/api/user/oidc")).data).toEqual({ name: "Single sign-on" });
    expect((await askWith(gateway.url)("GET", "/api/user/oidc")).status).toBe(404);
    const registration = { mode: "off", domains: [] };
    expect((await nobody("GET", "/api/user/login")).data).toEqual({
      single_sign_on: "Single sign-on",
      registration,
      mail: false,
    });
    expect((await askWith(gateway.url)("GET", "/api/user/login")).data).toEqual({
      single_sign_on: null,
      registration,
      mail: false,
    });
    expect((await askWith(gateway.url)("GET", BEGIN)).status).toBe(404);
  });
});

describe("a login response is refused", () => {
  test("with another state, without the browser's cookie, or with a changed one", async () => {
    provider.person = newPerson();
    const [mine, others] = [await begin(), await begin()];
    const changed = mine.cookie.slice(0, -4) + (mine.cookie.endsWith("AAAA") ? "BBBB" : "AAAA");
    const askedBefore = provider.asked.filter((path) => path === "/token").length;

    const arrivals = [
      await comeBack(provider.visit(others.location), mine.cookie),
      await comeBack(provider.visit(mine.location), others.cookie),
      await comeBack(provider.visit(mine.location), ""),
      await comeBack(provider.visit(mine.location), changed),
      await comeBack(new URLSearchParams({ code: "x" }), mine.cookie),
      await comeBack(new URLSearchParams({ code: "x", state: "" }), mine.cookie),
    ];

    expect(arrivals.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401]);
    // No code was even tried.
    expect(provider.asked.filter((path) => path === "/token")).toHaveLength(askedBefore);
  });

  test("if its code was used before", async () => {
    provider.person = newPerson();
    const { location, cookie } = await begin();
    const answer = provider.visit(location);

    expect((await comeBack(answer, cookie)).status).toBe(302);
    expect((await comeBack(answer, cookie)).status).toBe(401);
  });

  test("if its code belongs to another login", async () => {
    provider.person = newPerson();
    const [mine, others] = [await begin(), await begin()];
    const answer = provider.visit(mine.location);
    answer.set("code", provider.visit(others.location).get("code") ?? "");

    expect((await comeBack(answer, mine.cookie)).status).toBe(401);
  });

  test("if it is from another provider, or does not name its provider", async () => {
    provider.person = newPerson();
    for (const iss of ["https://evil.example", undefined]) {
      const { location, cookie } = await begin();
      const answer = provider.visit(location);
      if (iss === undefined) answer.delete("iss");
      else answer.set("iss", iss);
      expect((await comeBack(answer, cookie)).status).toBe(401);
    }
  });

  test("if the user cancelled at the provider, with that reason", async () => {
    const { location, cookie } = await begin();
    const answer = provider.visit(location);
    answer.delete("code");
    answer.set("error", "access_denied");

    const arrival = await comeBack(answer, cookie);

    expect(arrival.status).toBe(401);
    expect(arrival.message).toContain("access_denied");
  });
});

/** What an attacker might put in place of a claim. */
const changed =
  (claims: object) =>
  (draft: Draft): Promise<string> =>
    provider.sign({ ...draft, claims: { ...draft.claims, ...claims } });

const seconds = (): number => Math.floor(Date.now() / 1_000);

describe("an identity token is refused", () => {
  const cases: [string, () => TestProvider["forge"]][] = [
    ["of another login (nonce)", () => changed({ nonce: "another" })],
    ["without a nonce", () => changed({ nonce: undefined })],
    ["of another issuer", () => changed({ iss: "https://evil.example" })],
    ["for another audience", () => changed({ aud: "another client" })],
    [
      "for several audiences, without an authorized party",
      () => changed({ aud: [CLIENT.id, "b"] }),
    ],
    ["for several, asked for by another", () => changed({ aud: [CLIENT.id, "b"], azp: "b" })],
    ["asked for by another", () => changed({ azp: "another client" })],
    ["that has expired", () => changed({ exp: seconds() - 120 })],
    ["without an end", () => changed({ exp: undefined })],
    ["that was made long ago", () => changed({ iat: seconds() - 3_600 })],
    ["of the future", () => changed({ iat: seconds() + 3_600 })],
    ["of nobody", () => changed({ sub: undefined })],
    ["of a person without a valid id", () => changed({ sub: "a\u0000b" })],
    [
      "without a signature",
      () =>
        ({ claims }) =>
          [{ alg: "none" }, claims].map(encoded).join(".") + ".",
    ],
    [
      "signed with the public key as if it were a secret",
      () => async (draft) => {
        const key = await importJWK(provider.publicKey, "ES256", { extractable: true });
        if (key instanceof Uint8Array) throw new Error("Not a public key.");
        return await signedWithSecret(draft, await exportSPKI(key));
      },
    ],
    ["signed with our own secret", () => (draft) => signedWithSecret(draft, CLIENT.secret)],
    [
      "signed by another key under the same name",
      () =>
        async ({ header, claims }) => {
          const { privateKey } = await generateKeyPair("ES256");
          return await new SignJWT({ ...claims }).setProtectedHeader(header).sign(privateKey);
        },
    ],
    [
      "that contains its own key",
      () =>
        async ({ header, claims }) => {
          const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
          const jwk = { ...(await crypto.subtle.exportKey("jwk", publicKey)) };
          return await new SignJWT({ ...claims })
            .setProtectedHeader({ ...header, jwk: jwk as never })
            .sign(privateKey);
        },
    ],
    ["that is malformed", () => () => "not.a.token"],
  ];

  test.each(cases)("%s", async (_, forge) => {
    const arrival = await signOnWith(forge());

    expect(arrival.status).toBe(401);
    expect((await arrival.ask("GET", "/api/user/self")).status).toBe(401);
  });

  test("but not one for several audiences that includes the gateway", async () => {
    const azp = { aud: [CLIENT.id, "another"], azp: CLIENT.id };
    expect((await signOnWith(changed(azp))).status).toBe(302);
  });

  test("if its signing key is new, since keys are requested at most once per minute", async () => {
    await using other = await openTestProvider();
    await using gateway = await openWithRoot({ env: signOnSettings(other.issuer) });
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) {
      other.person = newPerson();
      const { location, cookie } = await begin(BEGIN, gateway.url);
      statuses.push((await comeBack(other.visit(location), cookie, gateway.url)).status);
      await other.changeKey();
    }

    expect(statuses).toEqual([302, 401, 401, 401]);
    expect(other.asked.filter((path) => path === "/keys")).toHaveLength(1);
    expect(other.asked.filter((path) => path.startsWith("/.well-known"))).toHaveLength(1);
  });
});

describe("an existing account", () => {
  async function userWith(role: string): Promise<{ id: number; email: string }> {
    const name = `local-${++count}`;
    const email = `${name}@example.com`;
    const { data } = await root("POST", "/api/user", {
      username: name,
      email,
      role,
      password: PASSWORD,
    });
    return { id: Number(data["id"]), email };
  }

  test("is found by an address that the provider verified", async () => {
    const { id, email } = await userWith("user");
    const upper = newPerson({ email: email.toUpperCase() });

    const arrival = await signOn(upper);

    expect((await arrival.ask("GET", "/api/user/self")).data["id"]).toBe(id);
  });

  test.each([
    ["not vouched for", { email_verified: false }],
    ["vouched for in another way than by saying so", { email_verified: "true" }],
    ["of an unknown verification state", { email_verified: undefined }],
  ])("is not found by an address that is %s", async (_, claim) => {
    const { email } = await userWith("user");

    const arrival = await signOn(newPerson({ email, ...claim }));

    expect(arrival.status).toBe(403);
    expect((await arrival.ask("GET", "/api/user/self")).status).toBe(401);
  });

  test("keeps its user if the identity provider gives its address to another person", async () => {
    const { email } = await userWith("user");
    expect((await signOn(newPerson({ email }))).status).toBe(302);

    expect((await signOn(newPerson({ email }))).status).toBe(403);
  });

  test("of an admin or root is used only after a higher role linked it", async () => {
    const { id, email } = await userWith("admin");
    const admin = await asUser(opened.url, "linker", "admin");
    const [person, roots] = [newPerson({ email }), newPerson({ email: ROOT.email })];
    const link = (by: Ask, to: number, subject: string) =>
      by("PUT", `/api/user/${to}/identity`, { subject });

    expect((await signOn(person)).status).toBe(403);
    expect((await signOn(roots)).status).toBe(403);
    expect((await link(admin, id, person.sub)).status).toBe(403);
    expect((await link(admin, 1, roots.sub)).status).toBe(403);
    expect((await link(root, id, person.sub)).status).toBe(200);
    expect((await link(root, 1, roots.sub)).status).toBe(200);
    expect((await link(root, 1, person.sub)).status).toBe(400);
    expect((await link(root, id, "a\u0000b")).status).toBe(400);

    const [first, second] = [await signOn(person), await signOn(roots)];
    expect((await first.ask("GET", "/api/user/self")).data["id"]).toBe(id);
    expect((await second.ask("GET", "/api/user/self")).data["id"]).toBe(1);
    expect((await root("DELETE", `/api/user/${id}/identity`)).status).toBe(200);
    expect((await signOn(person)).status).toBe(403);
  });

  test("is refused while it is disabled", async () => {
    const person = newPerson();
    const { ask } = await signOn(person);
    const { data } = await ask("GET", "/api/user/self");
    await root("PUT", `/api/user/${Number(data["id"])}`, { status: 2 });

    expect((await signOn(person)).status).toBe(403);
  });

  test("with a second factor still requires its code by default", async () => {
    const { id, email } = await userWith("user");
    const headers = await logIn(opened.url, { email, password: PASSWORD });
    const begun = await askWith(opened.url, headers)("POST", "/api/user/self/second-factor", {
      password: PASSWORD,
    });
    const secret = textIn(begun.data, "secret");
    // The code of the step before, so that the one of this step is left for the login.
    const early = codeOf(secret, Date.now() - 30_000);
    const setUp = askWith(opened.url, headers);
    await setUp("POST", "/api/user/self/second-factor/confirm", { code: early });

    const { status, ask } = await signOn(newPerson({ email }));
    expect(status).toBe(302);
    expect((await ask("GET", "/api/user/self")).status).toBe(401);
    expect((await ask("POST", "/api/user/token")).status).toBe(401);
    expect((await ask("POST", "/api/user/login/code", { code: "000000x" })).status).toBe(401);
    const done = await ask("POST", "/api/user/login/code", { code: codeOf(secret) });

    const self = askWith(opened.url, { cookie: cookieIn(done) });
    expect((await self("GET", "/api/user/self")).data["id"]).toBe(id);
    expect((await ask("GET", "/api/user/self")).status).toBe(401);
  });
});

describe("the operator", () => {
  async function signOnAt(env: Record<string, string>, person: object): Promise<Arrival> {
    await using gateway = await openWithRoot({
      env: { ...signOnSettings(provider.issuer), ...env },
    });
    provider.person = { ...person };
    const { location, cookie } = await begin(BEGIN, gateway.url);
    const arrival = await comeBack(provider.visit(location), cookie, gateway.url);
    const self = await arrival.ask("GET", "/api/user/self");
    return { ...arrival, ask: async () => self };
  }

  test("sets the allowed domains, which need a verified address", async () => {
    const env = { SLUICE_OIDC_DOMAINS: "Example.com,other.example" };
    const from = (email: string, email_verified = true) =>
      signOnAt(env, newPerson({ email, email_verified }));

    expect((await from("a@example.com")).status).toBe(302);
    expect((await from("a@evil.example")).status).toBe(403);
    expect((await from("a@sub.example.com")).status).toBe(403);
    expect((await from("a@example.com", false)).status).toBe(403);
    expect((await from("a@example.com@evil.example")).status).toBe(403);
  });

  test("sets whether users are created, with which role and quota", async () => {
    const refused = await signOnAt({ SLUICE_OIDC_NEW_USERS: "refuse" }, newPerson());
    const made = await signOnAt(
      { SLUICE_OIDC_ROLE: "auditor", SLUICE_OIDC_QUOTA: "5" },
      newPerson(),
    );

    expect(refused.status).toBe(403);
    expect((await made.ask("GET", "")).data["role"]).toBe("auditor");
  });

  test("decides whether a login at the provider counts as a second factor", async () => {
    const required = { SLUICE_REQUIRE_SECOND_FACTOR: "all" };
    const person = newPerson({ amr: ["mfa", "otp"] });

    const asked = await signOnAt(required, person);
    const trusted = await signOnAt({ ...required, SLUICE_OIDC_SECOND_FACTOR: "trust" }, person);

    expect((await asked.ask("GET", "")).status).toBe(401);
    expect((await trusted.ask("GET", "")).status).toBe(200);
  });

  test("alone can allow a private network for it", async () => {
    const gateway = await openWithRoot({
      env: { ...signOnSettings(provider.issuer), SLUICE_OIDC_ALLOW: "10.0.0.0/8" },
    });
    await using _ = gateway;
    const before = provider.asked.length;

    expect((await askWith(gateway.url)("GET", BEGIN)).status).toBe(502);
    expect(provider.asked).toHaveLength(before);
  });
});

test("a user of single sign-on without a password cannot set one by session or token", async () => {
  const { ask } = await signOn(newPerson());
  const token = textIn((await ask("POST", "/api/user/token")).data, "token");
  const withToken = askWith(opened.url, bearer(token));

  for (const by of [ask, withToken]) {
    const change = { password: PASSWORD, current_password: PASSWORD };
    expect((await by("PUT", "/api/user/self", change)).status).toBe(403);
    expect((await by("PUT", "/api/user/self", { password: PASSWORD })).status).toBe(403);
  }
  expect((await withToken("POST", "/api/user/self/second-factor", {})).status).toBe(403);
  expect((await ask("POST", "/api/user/self/second-factor", {})).status).toBe(200);
});

test("a user of single sign-on without a password sets up a second factor", async () => {
  await using gateway = await openWithRoot({
    env: { ...signOnSettings(provider.issuer), SLUICE_REQUIRE_SECOND_FACTOR: "all" },
  });
  provider.person = newPerson();
  const { location, cookie } = await begin(BEGIN, gateway.url);
  const answer = provider.visit(location).toString();
  const response = await fetch(`${gateway.url}${CALLBACK}?${answer}`, {
    redirect: "manual",
    headers: { cookie },
  });
  const session = response.headers.getSetCookie().find((each) => each.startsWith("sluice_session"));
  const headers = { cookie: session?.split(";")[0] ?? "", "sec-fetch-site": "same-origin" };

  const after = await setUpSecondFactor(gateway.url, headers);

  expect((await askWith(gateway.url, after)("GET", "/api/user/self")).status).toBe(200);
});

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

function signedWithSecret({ claims }: Draft, secret: string): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: "HS256", kid: provider.publicKey.kid ?? "" })
    .sign(new TextEncoder().encode(secret));
}
