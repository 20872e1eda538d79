import { getPath } from "hono/utils/url";
import { GatewayError } from "#core/error.ts";
import type { Clock } from "#lib/clock.ts";
import { hostUrl } from "#lib/host-url.ts";
import type { Deadlines } from "#lib/deadlines.ts";
import { ulid } from "#lib/ids.ts";
import type { ChannelRegistry } from "#relay/routing/channel-registry.ts";
import { handleAudited, isAudited, noteRefusal, type AuditDeps } from "./audit.ts";
import {
  authorize,
  authenticate,
  ANONYMOUS_CALLER,
  type AuthenticationDeps,
  type Caller,
} from "./authenticate.ts";
import type { AnswerHeader } from "./answer-headers.ts";
import { SIMULATED_HEADER } from "./api/status.ts";
import {
  answerPreflight,
  showToPage,
  type CrossOriginSettings,
  type Find,
} from "./cross-origin.ts";
import { showAnswer, type SeenAnswer } from "./show-answer.ts";
import { readClient } from "./client.ts";
import { errorResponse } from "./error-response.ts";
import { HttpExchange, IDLE_SECONDS, bodySlotsFor, type Surroundings } from "./exchange.ts";
import type { HttpLimits } from "./limits.ts";
import { hidingAliases, pathAliases, type PathAlias } from "./path-aliases.ts";
import { tidyPath } from "./path-rewrites.ts";
import { Router, type RouteMatch } from "./router.ts";
import type { Route } from "./routes.ts";
import type { SocketPeer, SocketProtocol } from "./socket.ts";
import { UnservedPaths } from "./unserved-paths.ts";

interface HttpServer {
  readonly url: string;
  /** Requests and WebSockets that are open now. */
  connections(): { readonly requests: number; readonly webSockets: number };
  /**
   * Reports not ready, then accepts no new calls, lets running ones end within the drain time, then
   * aborts them.
   */
  drain(): Promise<void>;
}

interface ServerOptions {
  readonly hostname: string;
  readonly port: number;
  /** Other processes may listen on the port too: the system distributes the connections. */
  readonly reusePort: boolean;
  /** How long the server still accepts calls after a drain started, while it reports not ready. */
  drainDelayMs(): number;
}

/** The dependencies of all requests. */
export interface AppDeps {
  readonly routes: readonly Route[];
  readonly callers: AuthenticationDeps;
  readonly trail: AuditDeps;
  /** Prefixes below which the paths of another prefix are also served. */
  readonly pathAliases: readonly PathAlias[];
  readonly channelRegistry: Pick<ChannelRegistry, "isSimulated">;
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  readonly limits: Pick<HttpLimits, "jsonDepth" | "bigBodies">;
  /** Read on each use: they change while the gateway runs. */
  readonly settings: CrossOriginSettings & {
    /** Facts that complete answers of calls name in headers. */
    readonly answerHeaders: readonly AnswerHeader[];
  };
  /** Shown every JSON answer of the management API: for tests, which hold it to the schema of its route. */
  readonly onAnswer?: (answer: SeenAnswer) => void;
  readonly refusing: Refusing;
  /** An unexpected failure: for the operator's log, never for the caller. */
  onError(error: GatewayError, requestId: string): void;
}

/** The console and the documentation, at paths that no route has. */
export interface Pages {
  /** Undefined at paths of others. */
  answer(request: Request, path: string): Response | undefined;
}

/** Handling of requests that are refused before they are calls. */
export interface Refusing {
  readonly pages: Pages | undefined;
  /** A request for a model endpoint was refused before it was a call. */
  onRefused(status: number, reason: string): void;
}

/** The dependencies of the listener, which limits connections and ends them. */
export interface ListenerDeps {
  /** Networks of reverse proxies whose forwarded client addresses are trusted. */
  readonly trustedProxies: readonly string[];
  readonly limits: Pick<HttpLimits, "bodyBytes" | "drainMs">;
  /** Shared with the route that reports whether the gateway is ready. */
  readonly readiness: Readiness;
  readonly sockets: { drain(): void };
  readonly liveCalls: { drain(): void };
  /** Ends the calls that run longer than the drain time. */
  readonly egress: { abortAll(reason: GatewayError): void };
  /** Ends the downloads that run longer than the drain time. */
  readonly contents: { abortAll(reason: GatewayError): void };
  /** Calls that are not settled. */
  readonly open: { whenNone(): Promise<void> };
}

/** Whether new calls are welcome. */
export interface Readiness {
  isDraining: boolean;
}

/** Time for aborted responses to write their error. */
const LAST_MS = 3_000;
const MAX_UNSENT_BYTES = 128 * 1024 * 1024;
/** The runtime pings silent clients: one that does not reply is disconnected after this time. */
const SILENT_SOCKET_SECONDS = 120;
/** Bun's maximum. */
const MAX_IDLE_SECONDS = 255;

export function openServer(
  { drainDelayMs, ...address }: ServerOptions,
  deps: AppDeps,
  listener: ListenerDeps,
): HttpServer {
  const { limits } = listener;
  const app = buildApp(deps, {
    get jsonDepth() {
      return deps.limits.jsonDepth;
    },
    get answerHeaders() {
      return deps.settings.answerHeaders;
    },
    ...bodySlotsFor(deps.limits.bigBodies),
    deadlines: deps.deadlines,
    clientOf: (request) =>
      readClient(request.headers, server.requestIP(request)?.address, listener.trustedProxies),
    setIdleSeconds: (request, seconds) =>
      server.timeout(request, Math.min(MAX_IDLE_SECONDS, seconds)),
    upgrade: (request, protocol, headers) =>
      server.upgrade(request, { headers, data: new SocketEnd(protocol) }),
  });
  const server = Bun.serve<SocketEnd>({
    ...address,
    idleTimeout: IDLE_SECONDS,
    // The body readers enforce the limits: the runtime's own 413 has no body.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: app,
    websocket: {
      maxPayloadLength: limits.bodyBytes,
      // One event may contain an image; writers wait while the client reads nothing.
      backpressureLimit: MAX_UNSENT_BYTES,
      closeOnBackpressureLimit: true,
      idleTimeout: SILENT_SOCKET_SECONDS,
      open: (socket) => socket.data.open(socket),
      message: (socket, message) => socket.data.protocol.received(message),
      drain: (socket) => socket.data.drained(),
      close: (socket) => socket.data.gone(),
    },
  });
  return {
    url: hostUrl(server.hostname ?? address.hostname, server.port ?? address.port),
    connections: () => ({
      requests: server.pendingRequests,
      webSockets: server.pendingWebSockets,
    }),
    async drain() {
      listener.readiness.isDraining = true;
      if (drainDelayMs() > 0) await Bun.sleep(drainDelayMs());
      listener.sockets.drain();
      listener.liveCalls.drain();
      const ending = new GatewayError("unavailable", "The gateway is shutting down.");
      const timer = setTimeout(() => {
        listener.egress.abortAll(ending);
        listener.contents.abortAll(ending);
      }, limits.drainMs);
      // A file read from disk cannot be aborted.
      const last = setTimeout(() => void server.stop(true), limits.drainMs + LAST_MS);
      try {
        await server.stop();
        // A call of a disconnected client may still be charged: wait until every call is settled.
        await listener.open.whenNone();
      } finally {
        clearTimeout(timer);
        clearTimeout(last);
      }
    },
  };
}

/** The client's end of a WebSocket of the runtime. */
class SocketEnd implements SocketPeer {
  readonly protocol: SocketProtocol;
  #socket: Bun.ServerWebSocket<SocketEnd> | undefined;
  #draining: PromiseWithResolvers<void> | undefined;

  constructor(protocol: SocketProtocol) {
    this.protocol = protocol;
  }

  open(socket: Bun.ServerWebSocket<SocketEnd>): void {
    this.#socket = socket;
    this.protocol.opened(this);
  }

  send(message: string): void | Promise<void> {
    const sent = this.#socket?.send(message) ?? 0;
    if (sent >= 0) return this.#draining?.promise;
    this.#draining ??= Promise.withResolvers();
    return this.#draining.promise;
  }

  drained(): void {
    this.#draining?.resolve();
    this.#draining = undefined;
  }

  gone(): void {
    this.#draining?.promise.catch(() => {});
    this.#draining?.reject(new GatewayError("canceled", "The client closed the WebSocket."));
    this.#draining = undefined;
    this.protocol.closed();
  }

  close(code: number, reason: string): void {
    this.#socket?.close(code, reason);
  }

  terminate(): void {
    this.#socket?.terminate();
  }
}

/** The handler without a listening port, for tests in the same process. */
export function openHandler(deps: AppDeps): (request: Request) => Promise<Response> {
  return buildApp(deps, {
    jsonDepth: deps.limits.jsonDepth,
    answerHeaders: deps.settings.answerHeaders,
    ...bodySlotsFor(deps.limits.bigBodies),
    deadlines: deps.deadlines,
    clientOf: () => ({ address: undefined, isSecure: true }),
    setIdleSeconds() {},
  });
}

type App = (request: Request) => Promise<Response>;

function buildApp(deps: AppDeps, around: Surroundings): App {
  const { routes } = deps;
  const router = new Router(routes);
  const unserved = new UnservedPaths(router, routes, deps.clock);
  const targets = new Targets(router, unserved, aliasesFor(deps), deps.refusing.pages);
  const find: Find = (request) => targets.find(request);
  const serveFound = (request: Request, found: Target | Response): Promise<Response> => {
    if (!(found instanceof Response)) return serve(request, found, deps, around, unserved);
    if (!found.ok) deps.refusing.onRefused(found.status, "unknown_path");
    return Promise.resolve(found);
  };
  return (request) => {
    if (hasSeveralHosts(request)) return Promise.resolve(unserved.refuseHost());
    if (!request.headers.has("origin")) return serveFound(request, targets.find(request));
    const preflight = answerPreflight(request, find, deps.settings);
    if (preflight !== undefined) return Promise.resolve(preflight);
    const found = targets.find(request);
    return showToPage(serveFound(request, found), request, found, deps.settings);
  };
}

const MAX_KNOWN_URLS = 1_000;
const MAX_KNOWN_URL_CHARS = 256;

/** Finds the route of a request; most clients send the same few URLs. */
class Targets {
  readonly #router: Router<Route>;
  readonly #unserved: UnservedPaths;
  readonly #toKnown: (path: string) => string;
  readonly #pages: Refusing["pages"];
  readonly #known = new Map<string, Map<string, Target>>();

  constructor(
    router: Router<Route>,
    unserved: UnservedPaths,
    toKnown: (path: string) => string,
    pages: Refusing["pages"],
  ) {
    this.#router = router;
    this.#unserved = unserved;
    this.#toKnown = toKnown;
    this.#pages = pages;
  }

  /** The response if no route serves it: a page for a browser, or a refusal. */
  find(request: Request): Target | Response {
    const { method, url } = request;
    const known = this.#known.get(method)?.get(url);
    if (known !== undefined) return known;
    // With an invalid host, the runtime cannot parse the URL, and each parser would find another
    // path.
    if (!URL.canParse(url)) return this.#unserved.refuseHost();
    const asked = getPath(request);
    const path = this.#toKnown(asked);
    const found = this.#router.find(method, path);
    if (found === undefined) return this.#rewritten(request, asked, path);
    const target = { ...found, path, model: undefined };
    this.#keep(method, url, target);
    return target;
  }

  #rewritten(request: Request, asked: string, path: string): Target | Response {
    // A page's path may also be a client's short form of a model endpoint.
    const page = this.#pages?.answer(request, asked);
    if (page !== undefined) return page;
    const rewritten = this.#unserved.rewrite(this.#toKnown(tidyPath(asked)));
    const meant = rewritten?.path ?? path;
    const found = this.#router.find(request.method, meant);
    if (found === undefined) return this.#unserved.refuse(request, meant);
    return { ...found, path: meant, model: rewritten?.model };
  }

  /** Queries are not kept: they may hold a key. */
  #keep(method: string, url: string, target: Target): void {
    if (url.length > MAX_KNOWN_URL_CHARS || url.includes("?")) return;
    let ofMethod = this.#known.get(method);
    if (ofMethod === undefined) this.#known.set(method, (ofMethod = new Map()));
    if (ofMethod.size >= MAX_KNOWN_URLS) ofMethod.clear();
    ofMethod.set(url, target);
  }
}

/**
 * Repeated headers arrive joined with commas. A reverse proxy may have checked a host other than
 * the first.
 */
function hasSeveralHosts({ headers }: Request): boolean {
  return headers.get("host")?.includes(",") === true;
}

/** Throws if an alias hides one of the gateway's own paths. */
function aliasesFor({ pathAliases: aliases, routes }: AppDeps): (path: string) => string {
  const [hiding] = hidingAliases(aliases, routes);
  if (hiding === undefined) return pathAliases(aliases);
  throw new Error(`path_aliases: '${hiding.from}' would hide paths of the gateway's own.`);
}

/** A matched route, and the values in the path. */
interface Target extends RouteMatch<Route> {
  readonly path: string;
  readonly model: string | undefined;
}

/**
 * Serves every request through its route; the only function that turns a failure into a response.
 */
async function serve(
  request: Request,
  target: Target,
  deps: AppDeps,
  around: Surroundings,
  unserved: UnservedPaths,
): Promise<Response> {
  const { route } = target;
  const id = ulid(deps.clock.now());
  let exchange: HttpExchange | undefined;
  let response: Response;
  try {
    const opening = openExchange(request, target, id, deps, around);
    exchange = opening instanceof Promise ? await opening : opening;
    const answering = isAudited(route)
      ? handleAudited(route, exchange, deps.trail)
      : route.handle(exchange);
    response = exchange.complete(await answering);
  } catch (cause) {
    const failed = failure(request, target, cause, id, deps, unserved, exchange);
    response = exchange?.complete(failed) ?? failed;
  }
  // A response of the simulator must be distinguishable from a model's.
  if (route.access === "key" && deps.channelRegistry.isSimulated)
    response.headers.set(SIMULATED_HEADER, "true");
  if (deps.onAnswer !== undefined) await showAnswer(route, response, deps.onAnswer);
  return request.method === "HEAD" ? new Response(null, response) : response;
}

/** The failure in the format of the route's clients. */
function failure(
  request: Request,
  { route, path }: Target,
  cause: unknown,
  id: string,
  deps: AppDeps,
  unserved: UnservedPaths,
  exchange: HttpExchange | undefined,
): Response {
  try {
    const error = GatewayError.from(cause);
    if (error.fault.blame !== "client") deps.onError(error, id);
    const body = route.renderError(error, request, id);
    exchange?.fail(body);
    return errorResponse(error, body, id);
  } catch (inside) {
    return unserved.fail(request, path, inside);
  }
}

/** Opens the exchange for an authorized caller; refused callers are recorded in the audit log. */
function openExchange(
  request: Request,
  target: Target,
  id: string,
  deps: AppDeps,
  around: Surroundings,
): HttpExchange | Promise<HttpExchange> {
  let found: Caller | Promise<Caller>;
  try {
    found = authenticate(request, target.route, deps.callers, around);
  } catch (cause) {
    found = Promise.reject(cause);
  }
  return found instanceof Promise
    ? openAfter(found, request, target, id, deps, around)
    : openFor(found, request, target, id, deps, around);
}

/** The same if the caller has to be looked up in the database, or is not known. */
async function openAfter(
  finding: Promise<Caller>,
  request: Request,
  target: Target,
  id: string,
  deps: AppDeps,
  around: Surroundings,
): Promise<HttpExchange> {
  let caller: Caller;
  try {
    caller = await finding;
  } catch (cause) {
    const exchange = new HttpExchange(request, id, ANONYMOUS_CALLER, target.param, around);
    return await refuseCaller(cause, exchange, target.route, deps);
  }
  return await openFor(caller, request, target, id, deps, around);
}

function openFor(
  caller: Caller,
  request: Request,
  { route, param, model }: Target,
  id: string,
  deps: AppDeps,
  around: Surroundings,
): HttpExchange | Promise<never> {
  const exchange = new HttpExchange(request, id, caller, param, around, model, route.family);
  try {
    authorize(request, caller, route, deps.callers);
  } catch (cause) {
    return refuseCaller(cause, exchange, route, deps);
  }
  return exchange;
}

async function refuseCaller(
  cause: unknown,
  exchange: HttpExchange,
  route: Route,
  { trail, refusing }: Pick<AppDeps, "trail" | "refusing">,
): Promise<never> {
  const error = GatewayError.from(cause);
  if (route.access === "key") refusing.onRefused(error.fault.status, error.code);
  await noteRefusal(route, exchange, error, trail);
  throw cause;
}
