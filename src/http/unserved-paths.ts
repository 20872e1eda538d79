import { GatewayError, type FaultCode } from "#core/error.ts";
import type { Clock } from "#lib/clock.ts";
import { ulid } from "#lib/ids.ts";
import type { JsonObject } from "#lib/json.ts";
import { buildError } from "#styles/text/chat/error.ts";
import { API_PREFIX, renderFailure } from "./api/envelope.ts";
import { ERROR_FORMAT_BY_PREFIX } from "./api/video/error-formats.ts";
import { errorFormatOf, errorFormatOfStyle, ownErrorFormatOf } from "./caller-style.ts";
import { errorResponse } from "./error-response.ts";
import { nearestPath } from "./nearest-path.ts";
import { rewritePath, type RewrittenPath } from "./path-rewrites.ts";
import type { Router } from "./router.ts";
import type { RouteDescription } from "./routes.ts";
import { unservedApiAt } from "./unserved-apis.ts";

type RenderError = (error: GatewayError) => JsonObject;

/** Prefixes below which errors have a fixed format for all clients. */
const FORMAT_BY_PREFIX: readonly (readonly [prefix: string, render: RenderError])[] = [
  ...ERROR_FORMAT_BY_PREFIX,
  [API_PREFIX.slice(0, -1), renderFailure],
];

/** Versions that only one style's paths have. */
const NATIVE_PREFIXES = ["/v1beta", "/v1beta1"];

const MAX_SHOWN_CHARS = 256;

/** Handles requests with an unknown path or with a method that the path does not have. */
export class UnservedPaths {
  readonly #router: Pick<Router<RouteDescription>, "allAt">;
  readonly #routes: readonly RouteDescription[];
  readonly #clock: Pick<Clock, "now">;

  constructor(
    router: Pick<Router<RouteDescription>, "allAt">,
    routes: readonly RouteDescription[],
    clock: Pick<Clock, "now">,
  ) {
    this.#router = router;
    this.#routes = routes;
    this.#clock = clock;
  }

  /**
   * The model endpoint that this path means. Management paths have one spelling only: operators
   * block them by path in a reverse proxy.
   */
  rewrite(path: string): RewrittenPath | undefined {
    return rewritePath(path, (each) =>
      this.#router.allAt(each).some(({ access }) => access === "key"),
    );
  }

  /** 405 with the path's methods, or 404 with the nearest path. */
  refuse(request: Request, path: string): Response {
    const served = this.#router.allAt(path);
    const [first] = served;
    const shown = `${request.method} ${path.slice(0, MAX_SHOWN_CHARS)}`;
    if (first !== undefined) {
      const taken = served.filter(({ onlyRefuses }) => onlyRefuses !== true);
      const methods = taken.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : method));
      const allowed = methods.join(", ");
      const message = `Method not allowed: ${shown}. This path takes ${allowed}.`;
      const format: RenderError = (error) => first.renderError(error, request, "");
      const response = this.#answer(request, path, "method_not_allowed", message, format);
      response.headers.set("allow", allowed);
      return response;
    }
    const api = unservedApiAt(path);
    if (api !== undefined) {
      const message = `Unknown path ${shown}. ${api.hint}`;
      return this.#answer(request, path, "not_found", message, errorFormatOfStyle(api.style));
    }
    const nearest = nearestPath(path, this.#routes);
    const meant = nearest === undefined ? "" : ` Did you mean ${nearest.path}?`;
    const format: RenderError | undefined =
      nearest && ((error) => nearest.route.renderError(error, request, ""));
    return this.#answer(request, path, "not_found", `Unknown path ${shown}.${meant}`, format);
  }

  /** For a failure that its route could not render. */
  fail(request: Request, path: string, cause: unknown): Response {
    return this.#answer(request, path, "internal", GatewayError.from(cause).message);
  }

  refuseHost(): Response {
    const message = "The request must have exactly one Host header, which names one host.";
    return this.#render(new GatewayError("invalid_request", message), buildError);
  }

  /** In the path's own format, in the client's, in that of the nearest route, or of the version. */
  #answer(
    request: Request,
    path: string,
    code: FaultCode,
    message: string,
    nearest?: RenderError,
  ): Response {
    const error = new GatewayError(code, message);
    const [, own] = FORMAT_BY_PREFIX.find(([prefix]) => isBelow(path, prefix)) ?? [];
    const isNative = NATIVE_PREFIXES.some((prefix) => isBelow(path, prefix));
    const byVersion = isNative ? errorFormatOfStyle("native") : errorFormatOf(request);
    const render = own ?? ownErrorFormatOf(request) ?? nearest ?? byVersion;
    return this.#render(error, render);
  }

  #render(error: GatewayError, render: RenderError): Response {
    return errorResponse(error, render(error), ulid(this.#clock.now()));
  }
}

function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/");
}
