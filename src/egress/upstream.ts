import type { HeaderFields } from "#core/authorize.ts";
import { GatewayError } from "#core/error.ts";
import { overridden } from "#core/overrides.ts";
import { systemClock, type Clock } from "#lib/clock.ts";
import { Deadlines } from "#lib/deadlines.ts";
import { Pieces, sizeOf } from "#lib/pieces.ts";
import { addressOf } from "./address.ts";
import { Connections } from "./connections.ts";
import type { Egress, UpstreamLimits, UpstreamReply, UpstreamRequest } from "./egress.ts";
import { Exchange, type ExchangeOwner, type Written } from "./exchange.ts";
import type { ProxyRules } from "./proxy.ts";
import { Tokens } from "./tokens.ts";

/**
 * All requests to upstreams use this egress. Every phase has a time limit and
 * every body a size limit. Redirects are not followed, because they would send
 * the credential to another host. The credential is opened here, for this one
 * request.
 */
export function openEgress(
  limits: UpstreamLimits,
  deadlines = new Deadlines(),
  clock: Pick<Clock, "now"> = systemClock,
  proxy?: ProxyRules,
): Egress {
  const connections = new Connections(deadlines, proxy);
  const open = new Set<Exchange>();
  const tokens = new Tokens(send, clock);
  const owner: ExchangeOwner = {
    limits,
    deadlines,
    connections,
    open,
    onUnauthorized: (request) => tokens.forget(request),
  };
  return {
    send,
    abortAll(reason) {
      for (const exchange of open) exchange.abort(reason);
    },
    closePool: (pool) => connections.closePool(pool),
    close: () => connections.close(),
  };

  function send(given: UpstreamRequest): Promise<UpstreamReply> {
    try {
      const request = given.overrides?.query === undefined ? given : withQuery(given);
      const written = writeRequest(request, tokens.present(request), clock.now());
      // The exchange is created afterwards, because its time limits start with it.
      return written instanceof Promise
        ? written.then((each) => begin(request, each))
        : begin(request, written);
    } catch (cause) {
      return Promise.reject(cause);
    }
  }

  function begin(request: UpstreamRequest, written: Written): Promise<UpstreamReply> {
    request.body = undefined;
    return new Exchange(owner, request, written).begin();
  }
}

/** Synchronous if possible: most credentials need no token exchange and no slow signature. */
function writeRequest(
  request: UpstreamRequest,
  secret: string | undefined | Promise<string>,
  at: number,
): Written | Promise<Written> {
  if (secret instanceof Promise) return secret.then((token) => writeRequest(request, token, at));
  const headers = overriddenHeaders(request);
  if (secret === undefined) return writtenOut(request, headers, "");
  const { url, method, body = "", options = {} } = request;
  const authorized = request.authorize(secret, { method, url, headers, body, options, at });
  return authorized instanceof Promise
    ? authorized.then((more) => writtenOut(request, { ...headers, ...more }, secret))
    : writtenOut(request, { ...headers, ...authorized }, secret);
}

function writtenOut(
  { method, url, body, placeholder }: UpstreamRequest,
  headers: HeaderFields,
  secret: string,
): Written {
  let { target } = addressOf(url);
  const fields: string[] = [];
  for (const name in headers) fields.push(name, ": ", fieldValue(headers[name] ?? ""), "\r\n");
  let lines = fields.join("");
  if (placeholder !== undefined) {
    target = target.replaceAll(placeholder, () => encodeURIComponent(secret));
    lines = lines.replaceAll(placeholder, () => fieldValue(secret));
  }
  const head = `${method} ${target} HTTP/1.1\r\n${lines}\r\n`;
  if (body === undefined) return head;
  return typeof body === "string" ? head + body : new Pieces([head, body]);
}

function overriddenHeaders(request: UpstreamRequest): HeaderFields {
  const headers = headersOf(request);
  const changes = request.overrides?.headers;
  return changes === undefined ? headers : overridden(headers, changes, request.placeholder);
}

/** The request to its address with the changed query. */
function withQuery(request: UpstreamRequest): UpstreamRequest {
  const { overrides, placeholder } = request;
  const url = new URL(request.url);
  const given = Object.fromEntries(url.searchParams);
  const query = overridden(given, overrides?.query ?? {}, placeholder);
  for (const name in given) if (!(name in query)) url.searchParams.delete(name);
  for (const name in query) {
    if (query[name] !== given[name]) url.searchParams.set(name, query[name] ?? "");
  }
  return { ...request, url };
}

function headersOf({ url, isStream, isFile, body, headers }: UpstreamRequest): HeaderFields {
  const accept = isFile === true ? "*/*" : isStream ? "text/event-stream" : "application/json";
  const { authority: host } = addressOf(url);
  const usual = { host, "user-agent": "sluice", accept, "accept-encoding": "identity" };
  if (body === undefined) return { ...usual, ...headers };
  return {
    ...usual,
    "content-type": "application/json",
    "content-length": String(sizeOf(body)),
    ...headers,
  };
}

/** A line break in a credential would inject another header. */
function fieldValue(value: string): string {
  if (/[\r\n\0]/.test(value)) {
    throw new GatewayError(
      "upstream_auth",
      "The gateway's credential for this upstream is malformed.",
    );
  }
  return value;
}
