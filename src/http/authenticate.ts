import assert from "node:assert";
import { createHash, timingSafeEqual } from "node:crypto";
import {
  ACCESS_TOKEN_PREFIX,
  allows,
  type AccessToken,
  type AccessTokens,
} from "#core/access-token.ts";
import type { AuthMethod } from "#core/audit.ts";
import { GatewayError } from "#core/error.ts";
import type { Family } from "#core/family.ts";
import { KEY_STATUS, type ApiKey, type KeyStore } from "#core/key.ts";
import type { Scope } from "#core/scope.ts";
import { missingFactor, type SecondFactorRule } from "#core/second-factor.ts";
import { isAtLeast, type Logins, type Session, type User } from "#core/user.ts";
import type { Clock } from "#lib/clock.ts";
import { isInNetworks } from "#lib/networks.ts";
import type { Client } from "./client.ts";
import { readBearer, readCredential, unauthenticated } from "./credential.ts";
import type { LoginPermission, Permission, RouteDescription } from "./routes.ts";
import { originOf } from "./same-origin.ts";
import { readSession } from "./session-cookie.ts";

/** The authenticated caller: by key, by login, or anonymous if the route requires neither. */
export interface Caller {
  readonly key?: ApiKey;
  readonly user?: User;
  /** How the user authenticated. */
  readonly proof?: AuthMethod;
  readonly session?: Session;
  /** The access token that was shown. */
  readonly token?: AccessToken;
}

interface KeyDeps {
  readonly keys: Pick<KeyStore, "find">;
  readonly clock: Clock;
}

export interface AuthenticationDeps extends KeyDeps {
  readonly logins: Pick<Logins, "findBySession">;
  readonly accessTokens: Pick<AccessTokens, "find">;
  /** The Bearer token for metrics; undefined leaves them open to everyone who reaches the port. */
  readonly metricsToken: string | undefined;
  /** May change: read it on each use. */
  readonly secondFactorRule: SecondFactorRule;
}

/** Reads the client of a request. */
interface ReadClient {
  clientOf(request: Request): Client;
}

/** Authenticates the request; throws if the credential is unknown. */
export function authenticate(
  request: Request,
  { access, family }: Pick<RouteDescription, "access" | "family">,
  deps: AuthenticationDeps,
  clients: ReadClient,
): Caller | Promise<Caller> {
  switch (access) {
    case "public":
    case "vendor":
    case "link":
      return ANONYMOUS_CALLER;
    case "metrics":
      checkMetricsToken(request, deps.metricsToken);
      return ANONYMOUS_CALLER;
    case "key": {
      const key = authenticateKey(request, family, deps, clients);
      return key instanceof Promise ? key.then(callerOf) : callerOf(key);
    }
    case "mfa_pending":
    case "user":
    case "auditor":
    case "admin":
    case "root":
      return findUser(request, deps);
  }
}

function callerOf(key: ApiKey): Caller {
  return { key };
}

/** The key of a request; throws if it is unknown or limited to other endpoint families. */
export function authenticateKey(
  request: Request,
  family: Family | undefined,
  deps: KeyDeps,
  clients: ReadClient,
): ApiKey | Promise<ApiKey> {
  const secret = readCredential(request);
  const found = deps.keys.find(secret);
  if (found instanceof Promise) return checkFound(found, secret, request, family, deps, clients);
  return checkKey(found, secret, request, family, deps, clients);
}

async function checkFound(
  finding: Promise<ApiKey | undefined>,
  secret: string,
  request: Request,
  family: Family | undefined,
  deps: KeyDeps,
  clients: ReadClient,
): Promise<ApiKey> {
  return checkKey(await finding, secret, request, family, deps, clients);
}

export const ANONYMOUS_CALLER: Caller = {};

/**
 * Authorizes the caller for a route; throws if the role is too low, the access token lacks the
 * scope, or a second factor is pending.
 */
export function authorize(
  request: Request,
  { user, proof, session, token }: Caller,
  permission: Permission,
  { secondFactorRule }: Pick<AuthenticationDeps, "secondFactorRule">,
): void {
  const { scope } = permission;
  if (scope === undefined) return;
  assert(user !== undefined, "A route with a role has an authenticated user.");
  // Browsers also send the cookie with requests that other sites trigger (CSRF).
  const isReading = request.method === "GET" || request.method === "HEAD";
  const origin = proof === "session" && !isReading ? originOf(request) : "same";
  if (origin !== "same") throw new GatewayError("forbidden", OBJECTIONS[origin]);
  const lack = session && missingFactor(session, secondFactorRule);
  if (lack !== undefined && permission.access !== "mfa_pending") throw mfaPending(lack);
  if (!isRoleEnough(user, permission)) {
    throw new GatewayError("forbidden", "Your role does not allow this.");
  }
  if (token !== undefined && !allows(token, scope)) throw outOfScope(scope);
}

/** Whether the user's role opens a route. */
export function isRoleEnough(user: User, { access, alsoTeamOwners }: LoginPermission): boolean {
  if (access === "mfa_pending" || isAtLeast(user.role, access)) return true;
  return alsoTeamOwners === true && user.isTeamOwner === true;
}

function outOfScope(scope: Scope): GatewayError {
  return new GatewayError(
    "forbidden",
    `This access token lacks the scope '${scope}'. Make a token that has it.`,
    { details: { scope } },
  );
}

const OBJECTIONS = {
  cross: "This request did not come from a page of this gateway.",
  unsaid:
    "This request does not say where it comes from: a program shows an access token, or sends " +
    "'Origin' with the gateway's address beside the cookie.",
};

function checkKey(
  key: ApiKey | undefined,
  secret: string,
  request: Request,
  family: Family | undefined,
  { clock }: KeyDeps,
  clients: ReadClient,
): ApiKey {
  if (key === undefined) {
    throw incorrectKey(
      secret.startsWith(ACCESS_TOKEN_PREFIX)
        ? "it is a user's access token, which is for /api; make an API key with POST /api/token"
        : "this gateway does not know it",
    );
  }
  if (key.status !== KEY_STATUS.enabled) throw incorrectKey("it is disabled");
  if (key.expiresAt !== undefined && key.expiresAt <= clock.now()) {
    throw incorrectKey("it has expired");
  }
  if (key.networks !== undefined) {
    const { address } = clients.clientOf(request);
    if (address === undefined || !isInNetworks(address, key.networks)) {
      throw new GatewayError("forbidden", "This API key may not be used from this address.");
    }
  }
  if (family !== undefined) refuseOtherFamilies(key, family);
  return key;
}

/** Clients such as LiteLLM recognize a wrong key by the first words. The key is never repeated. */
function incorrectKey(reason: string): GatewayError {
  return unauthenticated(`Incorrect API key provided: ${reason}.`);
}

/** Throws if the key is limited to other endpoint families. */
export function refuseOtherFamilies({ endpoints }: ApiKey, family: Family): void {
  if (endpoints === undefined || endpoints.includes(family)) return;
  throw new GatewayError(
    "forbidden",
    `This API key may not call ${family} endpoints; it may call ${endpoints.join(", ")}.`,
  );
}

/** The present user of a running request; throws if the login or the right has ended. */
export async function confirmUser(
  request: Request,
  permission: LoginPermission,
  deps: Pick<AuthenticationDeps, "accessTokens" | "logins" | "secondFactorRule">,
): Promise<User> {
  const caller = await findUser(request, deps);
  authorize(request, caller, permission, deps);
  assert(caller.user !== undefined, "A login has a user.");
  return caller.user;
}

/** By the user's access token if one is sent, otherwise by the browser's session. */
async function findUser(
  request: Request,
  { logins, accessTokens }: Pick<AuthenticationDeps, "accessTokens" | "logins">,
): Promise<Caller> {
  const bearer = readBearer(request);
  if (bearer !== undefined) {
    const found = await accessTokens.find(bearer);
    if (found !== undefined) return { ...found, proof: "token" };
  } else {
    const secret = readSession(request);
    const session = secret === undefined ? undefined : await logins.findBySession(secret);
    if (session !== undefined) return { user: session.user, proof: "session", session };
  }
  throw unauthenticated(
    "You are not logged in. Log in, or send your access token as 'Authorization: Bearer <token>'; an API key is not a login.",
  );
}

function mfaPending(lack: "code" | "second factor"): GatewayError {
  return lack === "code"
    ? unauthenticated("Your login needs a code of your second factor before it opens this.")
    : unauthenticated("You need to set up a second factor before your login opens this.");
}

function checkMetricsToken(request: Request, token: string | undefined): void {
  if (token === undefined) return;
  const shown = readCredential(request);
  if (!timingSafeEqual(digest(shown), digest(token))) {
    throw new GatewayError("unauthenticated", "Wrong metrics token.");
  }
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
