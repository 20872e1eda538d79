import type { HeaderFields } from "#core/authorize.ts";
import type { Credential } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import { overridden } from "#core/overrides.ts";
import { systemClock, type Clock } from "#lib/clock.ts";
import { Deadlines } from "#lib/deadlines.ts";
import { Pieces, sizeOf, type Body } from "#lib/pieces.ts";
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
      return written instanceof Promise ? beginAfter(written, request) : begin(request, written);
    } catch (cause) {
      return Promise.reject(cause);
    }
  }

  async function beginAfter(
    writing: Promise<Written>,
    request: UpstreamRequest,
  ): Promise<UpstreamReply> {
    return await begin(request, await writing);
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
  if (secret instanceof Promise) return writeAfter(secret, request, at);
  const known = knownHead(request, secret);
  if (known !== undefined && request.body !== undefined) {
    return joined(`${known.before}${sizeOf(request.body)}${known.after}`, request.body);
  }
  const headers = overriddenHeaders(request);
  if (secret === undefined) return writtenOut(request, headers, "");
  const { url, method, body = "", options = {} } = request;
  const authorized = request.authorize(secret, { method, url, headers, body, options, at });
  return authorized instanceof Promise
    ? writeAuthorized(request, headers, authorized, secret)
    : writtenOut(request, { ...headers, ...authorized }, secret);
}

async function writeAfter(
  trading: Promise<string>,
  request: UpstreamRequest,
  at: number,
): Promise<Written> {
  return await writeRequest(request, await trading, at);
}

async function writeAuthorized(
  request: UpstreamRequest,
  headers: HeaderFields,
  authorizing: Promise<HeaderFields>,
  secret: string,
): Promise<Written> {
  return writtenOut(request, { ...headers, ...(await authorizing) }, secret);
}

/** A head that all requests of a credential to one URL have, around the length of the body. */
interface KnownHead extends Pick<UpstreamRequest, "method" | "url" | "isStream" | "authorize"> {
  readonly headers: UpstreamRequest["headers"] | undefined;
  readonly secret: string;
  readonly before: string;
  readonly after: string;
}

/** The last head of each credential. It holds the secret, as the credential itself does. */
const heads = new WeakMap<Credential, KnownHead>();

function knownHead(request: UpstreamRequest, secret: string | undefined): KnownHead | undefined {
  const { credential, url, headers, isStream, method, authorize } = request;
  const known = credential && heads.get(credential);
  if (known === undefined || known.url !== url || known.headers !== headers) return undefined;
  const isSame = known.secret === secret && known.authorize === authorize;
  if (!isSame || known.isStream !== isStream || known.method !== method) return undefined;
  return isRepeatable(request) ? known : undefined;
}

/** A head is kept only if it follows from the members of `KnownHead`. */
function isRepeatable(request: UpstreamRequest): boolean {
  const { authorize, isFile, overrides, placeholder } = request;
  const isPlain = isFile !== true && overrides === undefined && placeholder === undefined;
  return isPlain && authorize.isConstant === true;
}

function keepHead(request: UpstreamRequest, head: string, secret: string): void {
  const { credential, body, url, headers, isStream, method, authorize } = request;
  if (credential === undefined || body === undefined || !isRepeatable(request)) return;
  const length = `\r\ncontent-length: ${sizeOf(body)}\r\n`;
  const at = head.indexOf(length);
  if (at < 0) return;
  const before = head.slice(0, at + "\r\ncontent-length: ".length);
  const after = head.slice(at + length.length - "\r\n".length);
  heads.set(credential, { method, url, headers, isStream, authorize, secret, before, after });
}

function writtenOut(request: UpstreamRequest, headers: HeaderFields, secret: string): Written {
  const { method, url, body, placeholder } = request;
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
  keepHead(request, head, secret);
  return joined(head, body);
}

function joined(head: string, body: Body): Written {
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
