import { Hono } from "hono";
import { getPath } from "hono/utils/url";
import { GatewayError, type FaultCode } from "#core/error.ts";
import { ulid } from "#lib/ids.ts";
import type { JsonObject } from "#lib/json.ts";
import { buildError } from "#styles/text/chat/error.ts";
import { API_PREFIX, renderFailure } from "./api/envelope.ts";
import { VIDEO_ROOMS } from "./api/video/rooms.ts";
import { handleAudited, isAudited, noteRefusal } from "./audit.ts";
import { admit, authenticate, NOBODY, type Caller } from "./authenticate.ts";
import { readClient } from "./client.ts";
import type { HttpDeps } from "./deps.ts";
import { errorResponse } from "./error-response.ts";
import { HttpExchange, IDLE_SECONDS, placesFor, type Surroundings } from "./exchange.ts";
import { buildRegistry } from "./registry.ts";
import { hidingAliases, pathAliases } from "./path-aliases.ts";
import type { Route } from "./routes.ts";

export interface HttpServer {
  readonly url: string;
  /** Takes no new calls, lets running ones end within the drain time, then ends them. */
  drain(): Promise<void>;
}

/** For answers that were ended to say so. */
const LAST_MS = 3_000;
/** Bun's longest. */
const MAX_IDLE_SECONDS = 255;

export function openServer(
  address: { readonly hostname: string; readonly port: number },
  deps: HttpDeps,
): HttpServer {
  const { limits, relay } = deps;
  let isDraining = false;
  const app = buildApp(deps, () => isDraining, {
    get jsonDepth() {
      return limits.jsonDepth;
    },
    ...placesFor(limits.bigBodies),
    deadlines: relay.delivery.deadlines,
    clientOf: (request) =>
      readClient(request.headers, server.requestIP(request)?.address, deps.trustedProxies),
    setIdleSeconds: (request, seconds) =>
      server.timeout(request, Math.min(MAX_IDLE_SECONDS, seconds)),
  });
  const server = Bun.serve({
    ...address,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: Math.max(limits.bodyBytes, limits.mediaBodyBytes),
    fetch: app,
  });
  return {
    url: `http://${server.hostname}:${server.port}`,
    async drain() {
      isDraining = true;
      const ending = new GatewayError("unavailable", "The gateway is shutting down.");
      const timer = setTimeout(() => {
        relay.egress.abortAll(ending);
        deps.contents.abortAll(ending);
      }, limits.drainMs);
      // A file that is read from the disk has nobody who could end it.
      const last = setTimeout(() => void server.stop(true), limits.drainMs + LAST_MS);
      try {
        await server.stop();
        // A caller who is gone may still owe: the books stay open until every call is settled.
        await relay.open.whenNone();
      } finally {
        clearTimeout(timer);
        clearTimeout(last);
      }
    },
  };
}

/** The same for whoever shares this process, where nobody listens. */
export function openHandler(deps: HttpDeps): (request: Request) => Promise<Response> {
  return buildApp(deps, () => false, {
    jsonDepth: deps.limits.jsonDepth,
    ...placesFor(deps.limits.bigBodies),
    deadlines: deps.relay.delivery.deadlines,
    clientOf: () => ({ address: undefined, isSecure: true }),
    setIdleSeconds() {},
  });
}

type App = (request: Request) => Promise<Response>;

function buildApp(deps: HttpDeps, isDraining: () => boolean, around: Surroundings): App {
  const routes = buildRegistry(isDraining);
  const toKnown = aliasesFor(deps, routes);
  const pathOf = (request: Request): string => toKnown(getPath(request));
  const app = new Hono({ getPath: pathOf });
  const paths = new Set<string>();
  /** Most calls name their route in full, and need no search for it. */
  const inFull = new Map<string, Route<HttpDeps>>();
  for (const route of routes) {
    for (const path of spellingsOf(route.path)) {
      app.on(route.method, path, ({ req }) =>
        serve(req.raw, (name) => req.param(name), route, deps, around),
      );
      paths.add(path);
      if (!/[:*]/.test(path)) inFull.set(`${route.method} ${path}`, route);
    }
  }
  for (const path of paths) {
    app.all(path, ({ req }) =>
      refuse(req.path, "method_not_allowed", `${req.method} is not for this path.`),
    );
  }
  app.onError((cause, { req }) => refuse(req.path, "internal", GatewayError.from(cause).message));
  app.notFound(({ req }) =>
    refuse(req.path, "not_found", `There is nothing at ${req.method} ${req.path.slice(0, 256)}.`),
  );
  return async (request) => {
    // Without a host that is one, the runtime knows no address, and each reader would find another path.
    if (!URL.canParse(request.url))
      return refuse("", "invalid_request", "The Host header is missing, or is no host.");
    const path = pathOf(request);
    const route = inFull.get(`${request.method} ${path}`);
    if (route === undefined) return await app.fetch(request);
    try {
      return await serve(request, noParam, route, deps, around);
    } catch (cause) {
      return refuse(path, "internal", GatewayError.from(cause).message);
    }
  };
}

function noParam(): undefined {}

/** Throws where a path of ours could not be found any more. */
function aliasesFor(
  { pathAliases: aliases }: HttpDeps,
  routes: readonly Route<HttpDeps>[],
): (path: string) => string {
  const paths = routes.map(({ path }) => path);
  const [hiding] = hidingAliases(aliases, paths);
  if (hiding === undefined) return pathAliases(aliases);
  throw new Error(`path_aliases: '${hiding.from}' would hide paths of the gateway's own.`);
}

/** Clients of the management API write its paths with a slash at the end or without. */
function spellingsOf(path: string): readonly string[] {
  return path.startsWith(API_PREFIX) ? [path, `${path}/`] : [path];
}

/** Of the path, by name. */
type Params = (name: string) => string | undefined;

/** Every request's way through its route, and the only place where a failure becomes an answer. */
async function serve(
  request: Request,
  params: Params,
  route: Route<HttpDeps>,
  deps: HttpDeps,
  around: Surroundings,
): Promise<Response> {
  const id = ulid(deps.clock.now());
  let exchange: HttpExchange | undefined;
  try {
    exchange = await letIn(request, params, id, route, deps, around);
    const answering = isAudited(route)
      ? handleAudited(route, exchange, deps)
      : route.handle(exchange, deps);
    return exchange.complete(await answering);
  } catch (cause) {
    const error = GatewayError.from(cause);
    if (error.fault.blame !== "client") deps.onError(error, id);
    const response = errorResponse(error, route.renderError(error, request, id), id);
    return exchange?.complete(response) ?? response;
  }
}

/** Somebody who may call the route; whoever may not is in the audit log. */
async function letIn(
  request: Request,
  params: Params,
  id: string,
  route: Route<HttpDeps>,
  deps: HttpDeps,
  around: Surroundings,
): Promise<HttpExchange> {
  let caller: Caller = NOBODY;
  try {
    caller = await authenticate(request, route, deps, () => around.clientOf(request));
    admit(request, caller, route.access, deps);
  } catch (cause) {
    const refused = new HttpExchange(request, id, caller, params, around);
    await noteRefusal(route, refused, GatewayError.from(cause), deps);
    throw cause;
  }
  return new HttpExchange(request, id, caller, params, around);
}

/** Below which prefixes failures have a form of their own, also where nothing is. */
const ROOMS: readonly (readonly [prefix: string, render: (error: GatewayError) => JsonObject])[] = [
  ...VIDEO_ROOMS,
  [API_PREFIX, renderFailure],
];

function refuse(path: string, code: FaultCode, message: string): Response {
  const error = new GatewayError(code, message);
  const [, render = buildError] = ROOMS.find(([prefix]) => path.startsWith(prefix)) ?? [];
  return errorResponse(error, render(error), ulid(Date.now()));
}
