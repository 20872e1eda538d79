import assert from "node:assert";
import { createHash, timingSafeEqual } from "node:crypto";
import type { Proof } from "#core/audit.ts";
import { GatewayError } from "#core/error.ts";
import { KEY_STATUS, type ApiKey } from "#core/key.ts";
import { isAtLeast, ROLES, type User } from "#core/user.ts";
import { isInNetworks } from "#lib/networks.ts";
import type { Client } from "./client.ts";
import { readBearer, readCredential, unauthenticated } from "./credential.ts";
import type { HttpDeps } from "./deps.ts";
import type { Access } from "./routes.ts";
import { originOf } from "./same-origin.ts";
import { readSession } from "./session-cookie.ts";

/** Whoever was let in: by a key, by a login, or without either where a route asks for none. */
export interface Caller {
  readonly key?: ApiKey;
  readonly user?: User;
  /** How the user showed who it is. */
  readonly proof?: Proof;
}

type AuthenticationDeps = Pick<HttpDeps, "keys" | "logins" | "clock" | "metricsToken">;

/** Finds out who calls a route of this access; throws where that is nobody whom we know. */
export async function authenticate(
  request: Request,
  access: Access,
  deps: AuthenticationDeps,
  readClient: () => Client,
): Promise<Caller> {
  switch (access) {
    case "public":
      return NOBODY;
    case "metrics":
      checkMetricsToken(request, deps.metricsToken);
      return NOBODY;
    case "key":
      return { key: await findKey(request, deps, readClient) };
    case "user":
    case "auditor":
    case "admin":
    case "root":
      return await findUser(request, deps);
  }
}

export const NOBODY: Caller = {};

/** Throws `forbidden` where somebody whom we know may not call a route of this access. */
export function admit(request: Request, { user, proof }: Caller, access: Access): void {
  const least = ROLES.find((role) => role === access);
  if (least === undefined) return;
  assert(user !== undefined, "Whoever is nobody has been turned away.");
  // Browsers send the cookie along with whatever any page makes them send.
  const isReading = request.method === "GET" || request.method === "HEAD";
  if (proof === "session" && !isReading && originOf(request) !== "same") {
    throw new GatewayError("forbidden", "This request did not come from a page of this gateway.");
  }
  if (!isAtLeast(user.role, least)) {
    throw new GatewayError("forbidden", "Your role does not allow this.");
  }
}

async function findKey(
  request: Request,
  { keys, clock }: AuthenticationDeps,
  readClient: () => Client,
): Promise<ApiKey> {
  const found = keys.find(readCredential(request));
  const key = found instanceof Promise ? await found : found;
  if (key === undefined) throw unauthenticated("This API key is not valid.");
  if (key.status !== KEY_STATUS.enabled) throw unauthenticated("This API key is disabled.");
  if (key.expiresAt !== undefined && key.expiresAt <= clock.now()) {
    throw unauthenticated("This API key has expired.");
  }
  if (key.networks !== undefined) {
    const { address } = readClient();
    if (address === undefined || !isInNetworks(address, key.networks)) {
      throw new GatewayError("forbidden", "This API key may not be used from this address.");
    }
  }
  return key;
}

/** By the user's own token where one is shown, otherwise by the browser's session. */
async function findUser(request: Request, { logins }: AuthenticationDeps): Promise<Caller> {
  const token = readBearer(request);
  const session = token === undefined ? readSession(request) : undefined;
  const user =
    token === undefined
      ? session && (await logins.findBySession(session))
      : await logins.findByToken(token);
  if (!user) {
    throw unauthenticated(
      "You are not logged in. Log in, or send your access token as 'Authorization: Bearer <token>'; an API key is not a login.",
    );
  }
  return { user, proof: token === undefined ? "session" : "token" };
}

function checkMetricsToken(request: Request, token: string | undefined): void {
  if (token === undefined) return;
  const shown = readCredential(request);
  if (!timingSafeEqual(digest(shown), digest(token))) {
    throw new GatewayError("unauthenticated", "This token is not the one for metrics.");
  }
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
