import { Buffer } from "node:buffer";
import { GatewayError } from "#core/error.ts";
import { parseJson, type Json } from "#lib/json.ts";
import { Semaphore } from "#lib/semaphore.ts";
import { hostOf, portOf } from "../guard.ts";
import { guardedFetch, type GuardedRequest } from "../guarded-fetch.ts";
import { hostResolver, resolveAsSystem } from "../resolve-host.ts";

interface Answer {
  readonly status: number;
  readonly text: string;
  /** Undefined if the text is not JSON. */
  readonly json: Json | undefined;
}

export type Ask = (
  url: string,
  request?: Pick<GuardedRequest, "method" | "headers" | "body">,
) => Promise<Answer>;

const MAX_BYTES = 256 * 1024;
const TIMEOUT_MS = 10_000;
const AT_ONCE = 16;
const MAX_WAITING = 64;

/**
 * Requests to an identity provider. The operator configured the issuer's host
 * and allows private networks for it. Other URLs in its documents are
 * untrusted. Throws `upstream_unreachable` and `overloaded`.
 */
export function openAsk(issuer: URL, allow: readonly string[]): Ask {
  const places = new Semaphore(AT_ONCE, MAX_WAITING);
  const named = hostOf(issuer);
  const resolveOther = hostResolver();
  const rules: GuardedRequest = {
    allow,
    names: [named],
    ports: [443, portOf(issuer)],
    allowHttp: issuer.protocol === "http:",
    resolve: (host, signal) => (host === named ? resolveAsSystem : resolveOther)(host, signal),
    maxBytes: MAX_BYTES,
    totalTimeoutMs: TIMEOUT_MS,
  };

  return async (url, request = {}) => {
    using place = await places.enter();
    if (place === undefined) {
      throw new GatewayError("overloaded", "Too many logins at once.", { retryAfterMs: 2_000 });
    }
    try {
      const headers = { accept: "application/json", "user-agent": "sluice", ...request.headers };
      await using response = await guardedFetch(url, { ...rules, ...request, headers });
      const text = Buffer.concat(await Array.fromAsync(response.body)).toString();
      return { status: response.status, text, json: parseJson(text) };
    } catch (cause) {
      throw unreachable(cause);
    }
  };
}

export function unreachable(cause: unknown): GatewayError {
  return new GatewayError("upstream_unreachable", "The identity provider does not answer.", {
    cause,
  });
}
