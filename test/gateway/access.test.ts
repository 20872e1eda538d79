import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createSecret } from "#core/key.ts";
import { SCOPE_NAMES, type Scope } from "#core/scope.ts";
import { ROLES } from "#core/user.ts";
import { ROUTES } from "#http/registry.ts";
import type { Access, RouteDescription } from "#http/routes.ts";
import {
  asRoot,
  askWith,
  asUser,
  bearer,
  logIn,
  openWithRoot,
  PASSWORD,
  ROOT,
  setUpSecondFactor,
  tokenOf,
  textIn,
} from "#test/accounts.ts";
import { KEY, type TestGateway } from "#test/harness.ts";

const READER = { name: "reader", scopes: ["account:read"] };
const METRICS = "metrics-token-0123456789-abcdef";

/** What each kind of credential is meant to open. Everything else stays closed to it. */
const OPENS = {
  "no credential": [],
  "a malformed header": [],
  "an unknown key": [],
  "a well-formed unknown key": [],
  "a disabled key": [],
  "an expired key": [],
  "a deleted key": [],
  "a key from the wrong network": [],
  "two different keys": [],
  "a disabled user's key": [],
  "a disabled user's token": [],
  "a revoked token": [],
  "an ended session": [],
  "a login without its second factor": ["mfa_pending"],
  "an API key": ["key"],
  "the token for metrics": ["metrics"],
  user: ["mfa_pending", "user"],
  auditor: ["mfa_pending", "user", "auditor"],
  admin: ["mfa_pending", "user", "auditor", "admin"],
  root: ["mfa_pending", "user", "auditor", "admin", "root"],
  "root's token for reading its account": ["account:read"],
  "a service account's token": ["mfa_pending", "user"],
  "an owner of a team": ["mfa_pending", "user", "team owner"],
  "root's session": ["mfa_pending", "user", "auditor", "admin", "root"],
} as const satisfies Record<string, readonly (Access | Scope | "team owner")[]>;

type Kind = keyof typeof OPENS;
/** Whoever lacks a scope is told which. */
const KINDS_WITH_SCOPES: readonly Kind[] = ["root's token for reading its account"];
const KINDS = Object.keys(OPENS) as Kind[];

function opens(kind: Kind, { access, scope, alsoTeamOwners }: RouteDescription): boolean {
  return OPENS[kind].some(
    (each) =>
      each === access || each === scope || (each === "team owner" && alsoTeamOwners === true),
  );
}

let first: TestGateway;
let opened: TestGateway;
let shown: Record<Kind, Record<string, string>>;
beforeAll(async () => {
  first = await openWithRoot();
  const { url, dataDir } = first;
  const root = await asRoot(url);
  const make = async (fields: object): Promise<{ id: number; key: string }> => {
    const { data } = await root("POST", "/api/token", fields);
    return { id: Number(data["id"]), key: textIn(data, "key") };
  };
  const disabled = await make({ name: "disabled" });
  await root("PUT", `/api/token/${disabled.id}`, { status: 2 });
  const deleted = await make({ name: "deleted" });
  await root("DELETE", `/api/token/${deleted.id}`);

  const leaver = await asUser(url, "leaver");
  const leaversKey = textIn((await leaver("POST", "/api/token", { name: "own" })).data, "key");
  const leaversToken = textIn((await leaver("POST", "/api/user/token")).data, "token");
  const again = (await root("GET", "/api/user")).data["items"] as {
    id: number;
    username: string;
  }[];
  const leaversId = again.find(({ username }) => username === "leaver")?.id;
  await root("PUT", `/api/user/${leaversId}`, { status: 2 });

  const revoked = await tokenOf(url, "revoker");
  await fetch(`${url}/api/user/token`, { method: "DELETE", headers: bearer(revoked) });
  const ended = await logIn(url, ROOT);
  await fetch(`${url}/api/user/logout`, { method: "POST", headers: ended });
  const rootsToken = textIn((await root("POST", "/api/user/token")).data, "token");
  const reader = await root("POST", "/api/user/self/access-token", READER);
  const readersToken = textIn(reader.data, "token");
  const { data: team } = await root("POST", "/api/team", { name: "owned" });
  const ownersToken = await tokenOf(url, "plain-owner");
  const { data: owner } = await askWith(url, bearer(ownersToken))("GET", "/api/user/self");
  const asOwner = { team_id: Number(team["id"]), team_role: "owner" };
  await root("PUT", `/api/user/${Number(owner["id"])}`, asOwner);
  const service = { username: "plain-robot", team_id: Number(team["id"]) };
  const { data: robot } = await root("POST", "/api/service-account", service);
  const robotsTokens = `/api/user/${Number(robot["id"])}/access-token`;
  const servicesToken = textIn((await root("POST", robotsTokens, { name: "t" })).data, "token");

  const admin = { username: "plain-admin", password: PASSWORD };
  const adminsToken = await tokenOf(url, admin.username, "admin");

  shown = {
    "no credential": {},
    "a malformed header": { authorization: `Token ${rootsToken}` },
    "an unknown key": bearer("nobody-has-ever-seen-this-key"),
    "a well-formed unknown key": bearer(createSecret()),
    "a disabled key": bearer(disabled.key),
    "an expired key": bearer((await make({ name: "expired", expires_at: 1 })).key),
    "a deleted key": bearer(deleted.key),
    "a key from the wrong network": bearer(
      (await make({ name: "elsewhere", ip_ranges: ["192.0.2.0/24"] })).key,
    ),
    "two different keys": { ...bearer(KEY), "x-api-key": deleted.key },
    "a disabled user's key": bearer(leaversKey),
    "a disabled user's token": bearer(leaversToken),
    "a revoked token": bearer(revoked),
    "an ended session": ended,
    "a login without its second factor": await logIn(url, admin),
    "an API key": bearer(KEY),
    "the token for metrics": bearer(METRICS),
    user: bearer(await tokenOf(url, "plain-user")),
    auditor: bearer(await tokenOf(url, "plain-auditor", "auditor")),
    admin: bearer(adminsToken),
    root: bearer(rootsToken),
    "root's token for reading its account": bearer(readersToken),
    "a service account's token": bearer(servicesToken),
    "an owner of a team": bearer(ownersToken),
    "root's session": await setUpSecondFactor(url, await logIn(url, ROOT)),
  };

  // What was a whole login is one no more, where admins need a second factor.
  await first.gateway.close();
  opened = await openWithRoot({
    dataDir,
    env: {
      SLUICE_METRICS_TOKEN: METRICS,
      SLUICE_REQUIRE_SECOND_FACTOR: "admins",
      SLUICE_CONTENT_LOG_OWNERS: "on",
    },
  });
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
});

/** Nothing that a route could do anything with: what counts is whether it is reached. */
function knock(method: string, path: string, kind: Kind): Promise<Response> {
  return fetch(opened.url + path.replaceAll(/:\w+(?:\{[^:}]*(:\w+)?\})?/g, "0$1"), {
    method,
    headers: { "content-type": "application/json", ...shown[kind] },
    ...(method === "GET" ? {} : { body: "[]" }),
  });
}

const WITH_LOGIN: readonly Access[] = ["mfa_pending", ...ROLES];

/** Vendors' base paths, whose failures have the form that their clients read. */
const MODELS_BELOW_API = /^\/api\/v[13]\//;

/** Whoever reaches these has another credential afterwards than the next route is to be shown. */
const CHANGES_CREDENTIALS = ["/api/user/token", "/api/user/logout", "/api/user/self/sessions/end"];

/** Whoever asks these gets an answer, whatever it says. */
const ALWAYS_ANSWERED = ["GET /api/hello", "GET /api/user/login", "GET /api/user/register"];

test("every scope opens routes, and every route with a login has a scope", () => {
  const scopes = new Set(ROUTES.flatMap(({ scope }) => scope ?? []));
  const withLogin = ROUTES.filter(({ access }) => WITH_LOGIN.includes(access));

  expect([...scopes].toSorted()).toEqual(SCOPE_NAMES.toSorted());
  expect(withLogin.filter(({ scope }) => scope === undefined)).toEqual([]);
});

describe("[A5-3] every route is open to the roles of its access, and closed to all others", () => {
  test("every kind of credential has routes", () => {
    expect(new Set(ROUTES.map(({ access }) => access)).isSupersetOf(new Set(["key", "user"]))).toBe(
      true,
    );
    const opened: readonly string[] = Object.values(OPENS).flat();
    const accesses = ROUTES.map(({ access }) => access);
    expect(new Set(accesses.filter((each) => opened.includes(each)))).toEqual(
      new Set(["key", "metrics", "mfa_pending", ...ROLES]),
    );
  });

  const closed = KINDS.flatMap((kind) =>
    ROUTES.filter(({ access }) => access !== "public" && access !== "vendor" && access !== "link")
      .filter((route) => !opens(kind, route))
      .map((route) => [kind, route.method, route.path, route] as const),
  );

  test.each(closed)("%s does not open %s %s", async (kind, method, path, route) => {
    const response = await knock(method, path, kind);

    expect([401, 403]).toContain(response.status);
    // Too low a role, or a place, is 403; whoever is not known at all is 401.
    const isUser = OPENS[kind].some((each) => each === "user" || each === "account:read");
    const isKnown = isUser && route.access !== "key";
    const isMisplaced = kind === "a key from the wrong network" && route.access === "key";
    if (route.access !== "metrics") expect(response.status === 403).toBe(isKnown || isMisplaced);
    const body = (await response.json()) as Record<string, unknown>;
    if (path.startsWith("/api/") && !MODELS_BELOW_API.test(path)) {
      const lacksScope = KINDS_WITH_SCOPES.includes(kind) && route.scope !== undefined;
      const data = lacksScope ? { data: { scope: route.scope } } : {};
      expect(body).toEqual({ success: false, message: expect.any(String), ...data });
    } else {
      expect(JSON.stringify(body)).toMatch(/"message"/i);
    }
  });

  const open = KINDS.flatMap((kind) =>
    ROUTES.filter((route) => opens(kind, route))
      .filter(({ path }) => !CHANGES_CREDENTIALS.includes(path))
      .map((route) => [kind, route.method, route.path] as const),
  );

  test.each(open)("%s opens %s %s", async (kind, method, path) => {
    const response = await knock(method, path, kind);

    // A stream of calls has no end.
    if (path.endsWith("/stream")) await response.body?.cancel();
    else await response.arrayBuffer();
    expect([401, 403, 500]).not.toContain(response.status);
  });

  const linked = KINDS.flatMap((kind) =>
    ROUTES.filter(({ access }) => access === "link").map(
      ({ method, path }) => [kind, method, path] as const,
    ),
  );

  test.each(linked)("%s opens %s %s as little as no credential", async (kind, method, path) => {
    expect((await knock(method, path, kind)).status).toBe(404);
  });

  test.each(ROUTES.filter(({ access }) => access === "public").map((each) => [each.path, each]))(
    "%s needs no credential, and reveals nothing about users",
    async (_, { method, path }) => {
      const response = await knock(method, path, "no credential");

      const text = await response.text();
      expect(text).not.toContain(ROOT.email);
      // Single sign-on and the model page are off here.
      const isOff = path.startsWith("/api/user/oidc") || path === "/api/pricing";
      const expected = isOff ? 404 : 400;

      if (ALWAYS_ANSWERED.includes(`${method} ${path}`)) expect(response.status).toBe(200);
      else if (path.startsWith("/api/")) expect(response.status).toBe(expected);
    },
  );
});
