import { Hono, type Context } from "hono";
import { GatewayError, type FaultCode } from "#core/error.ts";
import { buildError } from "#styles/text/chat/error.ts";
import type { Watched } from "#lib/deadlines.ts";
import { ulid } from "#lib/ids.ts";
import { Semaphore } from "#lib/semaphore.ts";
import { authenticate } from "./authenticate.ts";
import { readJsonBody } from "./body.ts";
import type { HttpDeps } from "./deps.ts";
import { errorResponse } from "./error-response.ts";
import { buildRegistry } from "./registry.ts";
import type { Exchange, Route } from "./routes.ts";

export interface HttpServer {
  readonly url: string;
  /** Takes no new calls, lets running ones end within the drain time, then ends them. */
  drain(): Promise<void>;
}

type Env = { Bindings: Bun.Server<undefined> };

const BIG_BODY_BYTES = 1024 * 1024;
const MAX_WAITING_BIG_BODIES = 64;
/** For connections that carry no call: a slow head, a slow body, a kept-alive one. */
const IDLE_SECONDS = 30;
/** Bun's longest. */
const MAX_STALL_SECONDS = 255;

export function openServer(
  address: { readonly hostname: string; readonly port: number },
  deps: HttpDeps,
): HttpServer {
  const state: ServerState = {
    isDraining: false,
    inFlight: 0,
    bigBodies: new Semaphore(deps.limits.bigBodies, MAX_WAITING_BIG_BODIES),
  };
  const app = buildApp(deps, state);
  const server = Bun.serve({
    ...address,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: Math.max(deps.limits.bodyBytes, deps.limits.mediaBodyBytes),
    fetch: (request, self) => app.fetch(request, self),
  });
  return {
    url: `http://${server.hostname}:${server.port}`,
    drain: () => drain(server, state, deps),
  };
}

interface ServerState {
  isDraining: boolean;
  inFlight: number;
  readonly bigBodies: Semaphore;
}

function buildApp(deps: HttpDeps, state: ServerState): Hono<Env> {
  const app = new Hono<Env>();
  const paths = new Set<string>();
  for (const route of buildRegistry(() => state.isDraining)) {
    app.on(route.method, route.path, (context) => serve(context, route, deps, state));
    paths.add(route.path);
  }
  for (const path of paths) {
    app.all(path, (context) =>
      refuse("method_not_allowed", `${context.req.method} is not for this path.`),
    );
  }
  app.onError((cause) => refuse("internal", GatewayError.from(cause).message));
  app.notFound((context) =>
    refuse(
      "not_found",
      `There is nothing at ${context.req.method} ${context.req.path.slice(0, 256)}.`,
    ),
  );
  return app;
}

/** Every request's way through its route, and the only place where a failure becomes an answer. */
async function serve(
  context: Context<Env>,
  route: Route<HttpDeps>,
  deps: HttpDeps,
  state: ServerState,
): Promise<Response> {
  const request = context.req.raw;
  const id = ulid(deps.clock.now());
  state.inFlight++;
  try {
    if (route.access === "key" && state.inFlight > deps.limits.inFlight) {
      throw new GatewayError("overloaded", "The gateway is at its limit of calls at once.", {
        retryAfterMs: 1_000,
      });
    }
    const key = await authenticate(request, route.access, deps);
    return await route.handle(openExchange(context, id, key, deps, state), deps);
  } catch (cause) {
    const error = GatewayError.from(cause);
    if (error.fault.blame !== "client") deps.onError(error, id);
    return errorResponse(error, route.renderError(error, request), id);
  } finally {
    state.inFlight--;
  }
}

function openExchange(
  context: Context<Env>,
  id: string,
  key: Exchange["key"],
  deps: HttpDeps,
  state: ServerState,
): Exchange {
  const request = context.req.raw;
  return {
    request,
    id,
    key,
    get signal() {
      return request.signal;
    },
    param: (name) => context.req.param(name) ?? "",
    async readJson(maxBytes) {
      const limits = { maxBytes, maxDepth: deps.limits.jsonDepth };
      const announced = Number(request.headers.get("content-length") ?? BIG_BODY_BYTES);
      if (announced < BIG_BODY_BYTES) return await readJsonBody(request, limits);

      using place = await state.bigBodies.enter();
      if (place === undefined) {
        throw new GatewayError("overloaded", "Too many large bodies at once.", {
          retryAfterMs: 1_000,
        });
      }
      return await readJsonBody(request, limits);
    },
    waitLong() {
      const { deadlines } = deps.relay.delivery;
      const watched: Watched = {
        dueAt: deadlines.now() + (IDLE_SECONDS * 1_000) / 2,
        onDue() {
          watched.dueAt = Infinity;
          context.env.timeout(request, 0);
        },
      };
      deadlines.watch(watched);
      return { [Symbol.dispose]: () => deadlines.release(watched) };
    },
    setStall(ms) {
      context.env.timeout(request, Math.min(MAX_STALL_SECONDS, Math.ceil(ms / 1_000)));
    },
  };
}

function refuse(code: FaultCode, message: string): Response {
  const error = new GatewayError(code, message);
  return errorResponse(error, buildError(error), ulid(Date.now()));
}

async function drain(
  server: Bun.Server<undefined>,
  state: ServerState,
  deps: HttpDeps,
): Promise<void> {
  state.isDraining = true;
  const timer = setTimeout(() => {
    deps.relay.egress.abortAll(new GatewayError("unavailable", "The gateway is shutting down."));
  }, deps.limits.drainMs);
  try {
    await server.stop();
  } finally {
    clearTimeout(timer);
  }
}
