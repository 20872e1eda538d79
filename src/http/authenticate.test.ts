import { describe, expect, test } from "bun:test";
import type { AccessToken } from "#core/access-token.ts";
import { GatewayError } from "#core/error.ts";
import type { Family } from "#core/family.ts";
import { KEY_STATUS, type ApiKey } from "#core/key.ts";
import { SCOPE_NAMES, type Scope } from "#core/scope.ts";
import { SECOND_FACTOR_RULES, type SecondFactorRule } from "#core/second-factor.ts";
import { ROLES, type Role, type User } from "#core/user.ts";
import {
  authenticate,
  authenticateKey,
  authorize,
  confirmUser,
  type Caller,
} from "./authenticate.ts";
import type { Access, LoginAccess } from "./routes.ts";

const NOW = 1_000_000;
const KEY: ApiKey = { id: 1, userId: 7, name: "k", status: 1, models: ["*"], accounts: [] };
const USER: User = {
  id: 7,
  name: "ada",
  displayName: "Ada",
  role: "user",
  isEnabled: true,
  hasPassword: true,
  hasSecondFactor: false,
  createdAt: 0,
};
const TOKEN: AccessToken = { id: 3, userId: 7, name: "script" };
const SESSION = { user: USER, isConfirmed: true };

interface RequestTerms {
  readonly access?: Access;
  readonly family?: Family;
  readonly headers?: Readonly<Record<string, string>>;
  /** Differences of the stored key; null if the gateway stores none. */
  readonly key?: Partial<ApiKey> | null;
  /** The key is looked up in the database. */
  readonly isQueried?: boolean;
  readonly address?: string;
  readonly metricsToken?: string;
}

async function callerOf(asked: RequestTerms = {}): Promise<Caller> {
  const { access = "key", family, headers = { authorization: "Bearer sk-1" }, key } = asked;
  const stored = key === null ? undefined : { ...KEY, ...key };
  const find = (secret: string) => (secret === "sk-1" ? stored : undefined);
  return await authenticate(
    new Request("http://gate/", { headers }),
    { access, ...(family && { family }) },
    {
      keys: { find: asked.isQueried === true ? async (secret) => find(secret) : find },
      logins: {
        findBySession: async (secret) => (secret === "session-1" ? SESSION : undefined),
      },
      accessTokens: {
        find: async (secret) => (secret === "token-1" ? { user: USER, token: TOKEN } : undefined),
      },
      clock: { now: () => NOW, monotonic: () => NOW },
      metricsToken: asked.metricsToken,
      secondFactorRule: "none",
    },
    { clientOf: () => ({ address: asked.address, isSecure: true }) },
  );
}

async function refusalOf(asked: RequestTerms): Promise<GatewayError> {
  const caller = await callerOf(asked).catch(GatewayError.from);
  if (caller instanceof GatewayError) return caller;
  throw new Error("The request was not refused.");
}

describe("an API key", () => {
  test("that is known, enabled and unlimited is accepted", async () => {
    expect(await callerOf()).toEqual({ key: KEY });
    expect(await callerOf({ isQueried: true })).toEqual({ key: KEY });
  });

  test("that is unknown is refused", async () => {
    expect(await refusalOf({ key: null })).toMatchObject({
      code: "unauthenticated",
      message: "Incorrect API key provided: this gateway does not know it.",
    });
  });

  test("that is a user's access token is refused with an explanation", async () => {
    const headers = { authorization: "Bearer slc-user_1" };

    expect((await refusalOf({ headers })).message).toContain("which is for /api");
  });

  test("that is not enabled is refused", async () => {
    for (const status of [KEY_STATUS.disabled, KEY_STATUS.expired, KEY_STATUS.exhausted]) {
      expect(await refusalOf({ key: { status } })).toMatchObject({
        code: "unauthenticated",
        message: "Incorrect API key provided: it is disabled.",
      });
    }
  });

  test("is valid until its expiry to the millisecond", async () => {
    expect(await callerOf({ key: { expiresAt: NOW + 1 } })).toHaveProperty("key");
    for (const expiresAt of [NOW, NOW - 1]) {
      expect(await refusalOf({ key: { expiresAt } })).toMatchObject({
        code: "unauthenticated",
        message: "Incorrect API key provided: it has expired.",
      });
    }
  });

  test("with networks is refused from other addresses, and from an unknown address", async () => {
    const key = { networks: ["10.0.0.0/8"] };

    expect(await callerOf({ key, address: "10.1.2.3" })).toHaveProperty("key");
    expect(await refusalOf({ key, address: "192.0.2.1" })).toMatchObject({ code: "forbidden" });
    expect(await refusalOf({ key })).toMatchObject({ code: "forbidden" });
  });

  test("for some endpoints is refused at others", async () => {
    const key = { endpoints: ["text", "images"] } as const;

    expect(await callerOf({ key, family: "images" })).toHaveProperty("key");
    expect(await callerOf({ key })).toHaveProperty("key");
    expect(await refusalOf({ key, family: "videos" })).toMatchObject({
      code: "forbidden",
      message: "This API key may not call videos endpoints; it may call text, images.",
    });
  });
});

test("a key that is in memory is found without waiting", () => {
  const found = authenticateKey(
    new Request("http://gate/", { headers: { authorization: "Bearer sk-1" } }),
    undefined,
    { keys: { find: () => KEY }, clock: { now: () => NOW, monotonic: () => NOW } },
    { clientOf: () => ({ address: undefined, isSecure: true }) },
  );

  expect(found).toBe(KEY);
});

test("a running request keeps its user while the token and its scope last", async () => {
  const request = new Request("http://gate/", { headers: { authorization: "Bearer token-1" } });
  const confirm = (token: AccessToken | undefined) =>
    confirmUser(
      request,
      { access: "user", scope: "logs:read" },
      {
        accessTokens: { find: async () => token && { user: USER, token } },
        logins: { findBySession: async () => undefined },
        secondFactorRule: "none",
      },
    );

  expect(await confirm(TOKEN)).toBe(USER);
  expect(await reasonOf(confirm({ ...TOKEN, scopes: ["keys:read"] }))).toBe("forbidden");
  expect(await reasonOf(confirm(undefined))).toBe("unauthenticated");
});

async function reasonOf(failing: Promise<unknown>): Promise<string | undefined> {
  return await failing.then(
    () => undefined,
    (cause: unknown) => GatewayError.from(cause).code,
  );
}

describe("the management API", () => {
  test("identifies a user by access token or by session, and records which one", async () => {
    const byToken = { authorization: "Bearer token-1" };
    const bySession = { cookie: "sluice_session=session-1" };

    expect(await callerOf({ access: "user", headers: byToken })).toEqual({
      user: USER,
      proof: "token",
      token: TOKEN,
    });
    expect(await callerOf({ access: "user", headers: bySession })).toEqual({
      user: USER,
      proof: "session",
      session: SESSION,
    });
  });

  test("does not use the session if the token is wrong", async () => {
    const headers = { authorization: "Bearer other", cookie: "sluice_session=session-1" };

    expect(await refusalOf({ access: "user", headers })).toMatchObject({
      code: "unauthenticated",
    });
  });

  test("refuses an unknown session, and a request without a credential", async () => {
    for (const headers of [{ cookie: "sluice_session=other" }, {}]) {
      expect(await refusalOf({ access: "admin", headers })).toMatchObject({
        code: "unauthenticated",
      });
    }
  });
});

describe("the metrics", () => {
  const headers = { authorization: "Bearer secret" };

  test("are open if no token is set", async () => {
    expect(await callerOf({ access: "metrics", headers: {} })).toEqual({});
  });

  test("need the token if one is set", async () => {
    const access = "metrics";

    expect(await callerOf({ access, headers, metricsToken: "secret" })).toEqual({});
    for (const metricsToken of ["secret2", "other"]) {
      expect(await refusalOf({ access, headers, metricsToken })).toMatchObject({
        code: "unauthenticated",
      });
    }
    expect(await refusalOf({ access, headers: {}, metricsToken: "secret" })).toMatchObject({
      code: "unauthenticated",
    });
  });
});

interface Tried {
  readonly access: LoginAccess;
  readonly role?: Role;
  readonly proof?: "session" | "token";
  readonly isConfirmed?: boolean;
  readonly hasSecondFactor?: boolean;
  readonly rule?: SecondFactorRule;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The code of the refusal; undefined if the caller may proceed. */
function refusalTo(tried: Tried): string | undefined {
  const { access, role = "user", proof = "session", isConfirmed = false, rule = "none" } = tried;
  const { method = "GET", headers = {}, hasSecondFactor = false } = tried;
  const user = { ...USER, role, hasSecondFactor };
  const session = { user, isConfirmed };
  const caller = { user, proof, ...(proof === "session" && { session }) };
  try {
    authorize(
      new Request("http://gate/", { method, headers }),
      caller,
      { access, scope: "keys:read" },
      { secondFactorRule: rule },
    );
    return undefined;
  } catch (cause) {
    return GatewayError.from(cause).code;
  }
}

describe("a user", () => {
  test("may use routes of the user's own role and of lower ones only", () => {
    for (const [rank, role] of ROLES.entries()) {
      const opened = ROLES.filter((access) => refusalTo({ access, role }) === undefined);
      expect(opened).toEqual(ROLES.slice(0, rank + 1));
    }
  });

  test("whose second factor is pending may only supply it", () => {
    const pending = { hasSecondFactor: true } as const;

    expect(refusalTo({ ...pending, access: "user" })).toBe("unauthenticated");
    expect(refusalTo({ ...pending, access: "mfa_pending" })).toBeUndefined();
    expect(refusalTo({ ...pending, access: "user", isConfirmed: true })).toBeUndefined();
    expect(refusalTo({ ...pending, access: "user", proof: "token" })).toBeUndefined();
  });

  test("without a second factor needs one if the gateway requires it", () => {
    const required = (role: Role) =>
      SECOND_FACTOR_RULES.filter((rule) => refusalTo({ access: "user", role, rule }));

    expect(required("user")).toEqual(["all"]);
    expect(required("admin")).toEqual(["admins", "all"]);
  });

  test("gets an error that says whether to send a code or to set up a second factor", () => {
    const messageFor = (hasSecondFactor: boolean): string => {
      const user = { ...USER, hasSecondFactor };
      const caller = { user, proof: "session", session: { user, isConfirmed: false } } as const;
      try {
        const permission = { access: "user", scope: "keys:read" } as const;
        authorize(new Request("http://gate/"), caller, permission, { secondFactorRule: "all" });
        return "";
      } catch (cause) {
        return GatewayError.from(cause).message;
      }
    };

    expect(messageFor(true)).toContain("needs a code");
    expect(messageFor(false)).toContain("set up a second factor");
  });
});

describe("an access token", () => {
  const reader: AccessToken = { ...TOKEN, scopes: ["keys:read"] };

  test("with scopes opens routes of these scopes only", () => {
    const opened = scopesThatOpen({ token: reader, role: "root", access: "user" });

    expect(opened).toEqual(["keys:read"]);
  });

  test("without scopes opens all that its user's role opens, and no more", () => {
    expect(scopesThatOpen({ token: TOKEN, role: "admin", access: "admin" })).toEqual(SCOPE_NAMES);
    expect(scopesThatOpen({ token: TOKEN, role: "user", access: "admin" })).toEqual([]);
  });

  test("cannot set up a second factor without the scope for it", () => {
    const opened = scopesThatOpen({ token: reader, role: "user", access: "mfa_pending" });

    expect(opened).toEqual(["keys:read"]);
  });

  test("that lacks a scope gets an error that names the scope", () => {
    const refused = (): void =>
      authorize(
        new Request("http://gate/"),
        { user: USER, proof: "token", token: reader },
        { access: "user", scope: "keys:write" },
        { secondFactorRule: "none" },
      );

    expect(refused).toThrow("This access token lacks the scope 'keys:write'.");
  });
});

/** All scopes of routes that a token opens. */
function scopesThatOpen(tried: {
  readonly token: AccessToken;
  readonly role: Role;
  readonly access: LoginAccess;
}): readonly Scope[] {
  const { token, role, access } = tried;
  const caller: Caller = { user: { ...USER, role }, proof: "token", token };
  return SCOPE_NAMES.filter((scope) => {
    try {
      authorize(
        new Request("http://gate/"),
        caller,
        { access, scope },
        { secondFactorRule: "all" },
      );
      return true;
    } catch {
      return false;
    }
  });
}

test("owners of a team open routes that are also for them", () => {
  const owner: User = { ...USER, teamId: 3, isTeamOwner: true };
  const opens = (user: User, more: { readonly alsoTeamOwners?: true }): boolean => {
    try {
      const permission = { access: "admin", scope: "keys:write", ...more } as const;
      const caller: Caller = { user, proof: "token", token: TOKEN };
      authorize(new Request("http://gate/"), caller, permission, { secondFactorRule: "none" });
      return true;
    } catch {
      return false;
    }
  };

  expect(opens(owner, { alsoTeamOwners: true })).toBe(true);
  expect(opens(owner, {})).toBe(false);
  expect(opens(USER, { alsoTeamOwners: true })).toBe(false);
});

describe("a change with a session's cookie", () => {
  const changes = ["POST", "PUT", "DELETE"];

  test("is refused if another or an unknown site sent it", () => {
    for (const method of changes) {
      for (const access of ["user", "mfa_pending"] as const) {
        const cross = { "sec-fetch-site": "cross-site" };
        expect(refusalTo({ access, method, headers: cross })).toBe("forbidden");
        expect(refusalTo({ access, method })).toBe("forbidden");
      }
    }
  });

  test("is accepted from the gateway's own page", () => {
    const headers = { "sec-fetch-site": "same-origin" };

    for (const method of changes) {
      expect(refusalTo({ access: "user", method, headers })).toBeUndefined();
    }
  });

  test("needs no origin with an access token, nor for reading", () => {
    for (const method of changes) {
      expect(refusalTo({ access: "user", method, proof: "token" })).toBeUndefined();
    }
    for (const method of ["GET", "HEAD"]) {
      const headers = { "sec-fetch-site": "cross-site" };
      expect(refusalTo({ access: "user", method, headers })).toBeUndefined();
    }
  });
});

test("a route for users refuses requests without a user", () => {
  for (const access of ["mfa_pending", ...ROLES] as const) {
    const permission = { access, scope: "keys:read" } as const;
    const authorized = (): void =>
      authorize(new Request("http://gate/"), {}, permission, { secondFactorRule: "none" });
    expect(authorized).toThrow();
  }
});

test("a route for keys, vendors or everyone needs no role", () => {
  for (const access of ["public", "key", "metrics", "vendor", "link"] as const) {
    const authorized = (): void =>
      authorize(
        new Request("http://gate/", { method: "POST" }),
        {},
        { access },
        { secondFactorRule: "all" },
      );
    expect(authorized).not.toThrow();
  }
});

test("a route for everyone, for vendors or for holders of a link reads no credential", async () => {
  for (const access of ["public", "vendor", "link"] as const) {
    expect(await callerOf({ access, headers: { authorization: "Bearer sk-1" } })).toEqual({});
  }
});
