import { createHash, timingSafeEqual } from "node:crypto";
import { GatewayError } from "#core/error.ts";
import { KEY_STATUS, type ApiKey } from "#core/key.ts";
import { readCredential, unauthenticated } from "./credential.ts";
import type { HttpDeps } from "./deps.ts";
import type { Access } from "./routes.ts";

/** Lets a request through to a route of this access, or throws. */
export async function authenticate(
  request: Request,
  access: Access,
  deps: HttpDeps,
): Promise<ApiKey | undefined> {
  switch (access) {
    case "public":
      return undefined;
    case "metrics":
      return checkMetricsToken(request, deps.metricsToken);
    case "key":
      return await findKey(request, deps);
  }
}

async function findKey(request: Request, { keys, clock }: HttpDeps): Promise<ApiKey> {
  const found = keys.find(readCredential(request));
  const key = found instanceof Promise ? await found : found;
  if (key === undefined) throw unauthenticated("This API key is not valid.");
  if (key.status !== KEY_STATUS.enabled) throw unauthenticated("This API key is disabled.");
  if (key.expiresAt !== undefined && key.expiresAt <= clock.now()) {
    throw unauthenticated("This API key has expired.");
  }
  return key;
}

function checkMetricsToken(request: Request, token: string | undefined): undefined {
  if (token === undefined) return undefined;
  const shown = readCredential(request);
  if (!timingSafeEqual(digest(shown), digest(token))) {
    throw new GatewayError("unauthenticated", "This token is not the one for metrics.");
  }
  return undefined;
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
