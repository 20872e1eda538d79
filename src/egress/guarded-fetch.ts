import { request as httpRequest, type IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { GatewayError } from "#core/error.ts";
import { checkUrl, hostOf, isPublicAddress, refused, type GuardRules } from "./guard.ts";
import { openLifetime, timedOut, type Lifetime } from "./lifetime.ts";
import { openPinnedSocket } from "./pinned-socket.ts";
import { hostResolver, type ResolveHost } from "./resolve-host.ts";

export interface GuardedRequest extends GuardRules {
  readonly method?: "GET" | "HEAD" | "POST" | "PUT";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Maximum size of the response body. */
  readonly maxBytes: number;
  /** Only the status is needed; headers and body are not checked. */
  readonly ignoresBody?: true;
  /** From the DNS lookup to the last byte read, redirects included; unlimited if absent. */
  readonly totalTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly firstByteTimeoutMs?: number;
  /** Between two chunks of the body, while the reader waits. */
  readonly idleTimeoutMs?: number;
  /**
   * Default 0. Only GET and HEAD follow redirects, because a body is meant for
   * the original host.
   */
  readonly maxRedirects?: number;
  /**
   * Returns the redirect response after the last allowed redirect; the caller
   * applies its own rules.
   */
  readonly handsOverRedirects?: true;
  readonly signal?: AbortSignal;
  readonly resolve?: ResolveHost;
  /** Certificate authorities to trust instead of the default ones, in PEM. */
  readonly ca?: string;
}

/** Holds a socket until its body was read or cancelled, or until it is disposed. */
export interface GuardedResponse extends AsyncDisposable {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array>;
  /** The final URL after redirects. */
  readonly url: string;
}

const RESOLVE_TIMEOUT_MS = 2_000;
const MAX_ADDRESSES = 64;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADER_FIELDS = 200;
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/**
 * Headers that are kept on a redirect to another origin; a list of credential
 * headers could not be complete.
 */
const HARMLESS_HEADERS = ["accept", "accept-language", "if-range", "range", "user-agent"];

/** Every URL from a client or an upstream must be fetched with this function. */
export async function guardedFetch(text: string, init: GuardedRequest): Promise<GuardedResponse> {
  const lifetime = openLifetime(init.totalTimeoutMs, init.signal);
  const { method = "GET", maxRedirects = 0, own = ownAddresses() } = init;
  const request = { ...init, method, own };
  const mayMove = method === "GET" || method === "HEAD";
  try {
    let url = checkUrl(text, request);
    let headers = new Headers(init.headers);
    for (let hop = 0; ; hop++) {
      const message = await exchange(url, headers, request, lifetime);
      const { location } = message.headers;
      const isRedirect = location !== undefined && REDIRECTS.has(message.statusCode ?? 0);
      const mayFollow = hop < maxRedirects && mayMove;
      if (!isRedirect || (!mayFollow && init.handsOverRedirects === true)) {
        return openResponse(message, url, request, lifetime);
      }
      message.socket.destroy();
      if (!mayFollow) throw failed("redirected");

      // A redirect may lead from http to https, never back.
      const allowHttp = init.allowHttp === true && url.protocol === "http:";
      const next = checkUrl(location, { ...request, allowHttp }, url);
      if (next.origin !== url.origin) headers = only(headers, HARMLESS_HEADERS);
      url = next;
    }
  } catch (cause) {
    lifetime.end();
    throw explained(cause);
  }
}

/** One request and its response head on its own connection. */
async function exchange(
  url: URL,
  headers: Headers,
  request: GuardedRequest,
  { signal, within }: Lifetime,
): Promise<IncomingMessage> {
  const { ca, connectTimeoutMs = 5_000, firstByteTimeoutMs = 10_000 } = request;

  const late = () => refused("the name resolves too slowly");
  const addresses = await within(RESOLVE_TIMEOUT_MS, late, findAddresses(url, request, signal));
  const isAllowed = (address: string) => isPublicAddress(address, request);
  const connecting = openPinnedSocket(url, addresses, { isAllowed, ca, signal });
  const socket = await within(connectTimeoutMs, () => timedOut("connect"), connecting);
  const answering = send(socket, url, headers, request);
  const message = await within(firstByteTimeoutMs, () => timedOut("first byte"), answering);

  const error = refusalError(message, request);
  if (error !== undefined) throw error;
  return message;
}

/**
 * Checks all addresses of the name before the first connection; a single
 * forbidden one refuses all.
 */
async function findAddresses(
  url: URL,
  { resolve = hostResolver(), ...rules }: GuardedRequest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const host = hostOf(url);
  if (isIP(host) !== 0) return [host];

  const answer = await resolve(host, signal).catch((cause: unknown) => {
    throw refused(`${host} does not resolve`, cause);
  });
  // A copy, because the resolver could change its list after the check.
  const addresses = [...answer];
  const isPlausible = addresses.length > 0 && addresses.length <= MAX_ADDRESSES;
  if (!isPlausible) throw refused(`${host} has ${addresses.length} addresses`);
  const offending = addresses.find((address) => !isPublicAddress(address, rules));
  if (offending !== undefined) throw refused(`${host} resolves to ${offending}`);
  return addresses;
}

function send(
  socket: Socket,
  url: URL,
  headers: Headers,
  { method, body }: GuardedRequest,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({
      createConnection: () => socket,
      method,
      path: url.pathname + url.search,
      headers: { ...Object.fromEntries(headers), host: url.host, "accept-encoding": "identity" },
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    outgoing.on("response", resolve);
    outgoing.on("error", reject);
    outgoing.on("upgrade", () => reject(new Error("switched protocols")));
    outgoing.end(body);
  });
}

function refusalError(
  { headers, rawHeaders }: IncomingMessage,
  { method, maxBytes, ignoresBody }: GuardedRequest,
): GatewayError | undefined {
  // Above its own limit the parser silently drops fields, including a Content-Encoding.
  if (rawHeaders.length / 2 > MAX_HEADER_FIELDS) return failed("too many header fields");
  if (ignoresBody === true) return undefined;
  const coding = headers["content-encoding"] ?? "identity";
  const transfer = headers["transfer-encoding"] ?? "chunked";
  if (coding.toLowerCase() !== "identity") return failed("a coded body");
  if (transfer.toLowerCase() !== "chunked") return failed("a coded transfer");
  if (method !== "HEAD" && Number(headers["content-length"] ?? 0) > maxBytes) return tooLarge();
  return undefined;
}

function openResponse(
  message: IncomingMessage,
  url: URL,
  request: GuardedRequest,
  lifetime: Lifetime,
): GuardedResponse {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(message.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  return {
    status: message.statusCode ?? 0,
    headers,
    url: url.href,
    body: readBody(message, request, lifetime),
    async [Symbol.asyncDispose]() {
      lifetime.end();
    },
  };
}

async function* readBody(
  message: IncomingMessage,
  { maxBytes, idleTimeoutMs = 15_000 }: GuardedRequest,
  lifetime: Lifetime,
): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  try {
    const late = () => timedOut("idle");
    const chunks: AsyncIterator<Uint8Array> = message[Symbol.asyncIterator]();
    for (;;) {
      const next = await lifetime.within(idleTimeoutMs, late, chunks.next());
      if (next.done === true) return;
      sizeBytes += next.value.byteLength;
      if (sizeBytes > maxBytes) throw tooLarge();
      yield next.value;
    }
  } catch (cause) {
    throw explained(cause);
  } finally {
    // Also runs if the reader stops early.
    lifetime.end();
  }
}

function only(headers: Headers, names: readonly string[]): Headers {
  return new Headers([...headers].filter(([name]) => names.includes(name)));
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map((own) => own.address));
}

function tooLarge(): GatewayError {
  return new GatewayError("too_large", "The file behind the URL is too large.");
}

function failed(reason: string, cause?: unknown): GatewayError {
  return new GatewayError("upstream_failed", "The URL could not be fetched.", {
    cause: new Error(reason, { cause }),
  });
}

function explained(cause: unknown): GatewayError {
  return cause instanceof GatewayError ? cause : failed("broken off", cause);
}
