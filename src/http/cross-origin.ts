import { API_PREFIX } from "./api/envelope.ts";
import type { Access, RouteDescription } from "./routes.ts";

export interface CrossOriginSettings {
  /** Origins of pages that may call model endpoints; `*` for all. */
  readonly corsOrigins: readonly string[];
}

/** The route of a request, or the refusal if there is none. */
type Match = { readonly route: Pick<RouteDescription, "access"> } | Response;
export type Find = (request: Request) => Match;

const METHODS: readonly string[] = ["GET", "HEAD", "POST", "PUT", "DELETE"];
/** Browsers use less: two hours in Chromium, a day in Firefox. */
const MAX_AGE_SECONDS = 86_400;
const PREFLIGHT_VARIES = "origin, access-control-request-method, access-control-request-headers";

/**
 * The answer to a preflight of a request that the page may send; undefined for other requests.
 * The headers are those of the Fetch Standard (https://fetch.spec.whatwg.org/#http-cors-protocol).
 */
export function answerPreflight(
  request: Request,
  find: Find,
  settings: CrossOriginSettings,
): Response | undefined {
  const { headers, url } = request;
  const method = headers.get("access-control-request-method") ?? "";
  if (request.method !== "OPTIONS" || !METHODS.includes(method)) return undefined;
  const origin = allowedOrigin(request, find(new Request(url, { method })), settings);
  if (origin === undefined) return undefined;
  const answer = new Headers({
    "access-control-allow-origin": origin,
    "access-control-allow-methods": method,
    "access-control-max-age": String(MAX_AGE_SECONDS),
    vary: PREFLIGHT_VARIES,
  });
  // Clients send headers of many names, and a wildcard would not cover `authorization`.
  const asked = headers.get("access-control-request-headers");
  if (asked !== null) answer.set("access-control-allow-headers", asked);
  return new Response(null, { status: 204, headers: answer });
}

/** Lets the page that sent the request read the answer and its headers, if it may. */
export async function showToPage(
  answering: Promise<Response>,
  request: Request,
  found: Match,
  settings: CrossOriginSettings,
): Promise<Response> {
  const response = await answering;
  const isPreflight = request.method === "OPTIONS";
  const origin = isPreflight ? undefined : allowedOrigin(request, found, settings);
  if (origin === undefined) return response;
  response.headers.set("access-control-allow-origin", origin);
  response.headers.set("access-control-expose-headers", "*");
  response.headers.append("vary", "origin");
  return response;
}

/** Credentials are never allowed: no cookie acts on these routes. */
function allowedOrigin(
  { headers, url }: Request,
  found: Match,
  { corsOrigins }: CrossOriginSettings,
): string | undefined {
  const origin = headers.get("origin");
  if (origin === null || !isForPages(url, found)) return undefined;
  if (corsOrigins.includes("*")) return "*";
  return corsOrigins.includes(origin) ? origin : undefined;
}

const FOR_PAGES: readonly Access[] = ["key", "link"];

/** Pages may also read that a path does not exist, except below the management API. */
function isForPages(url: string, found: Match): boolean {
  if (!(found instanceof Response)) return FOR_PAGES.includes(found.route.access);
  return URL.parse(url)?.pathname.startsWith(API_PREFIX) === false;
}
