import type { AuditEntry, AuditLog } from "#core/audit.ts";
import { GatewayError } from "#core/error.ts";
import type { Clock } from "#lib/clock.ts";
import type { JsonObject } from "#lib/json.ts";
import { MAX_BODY_BYTES } from "./api/envelope.ts";
import { readBearer } from "./credential.ts";
import type { HttpExchange } from "./exchange.ts";
import type { RefusalSample } from "./refusal-sample.ts";
import type { Access, Route, RouteDescription } from "./routes.ts";
import { readSession } from "./session-cookie.ts";
import { cut, withoutSecrets } from "./without-secrets.ts";

const MAX_USER_AGENT_CHARS = 200;
/** Longer than any name. The limit prevents unknown clients from filling the disk. */
const MAX_PARAM_CHARS = 400;
/** Access kinds whose routes change nothing in the gateway's storage. */
const NOT_AUDITED: readonly Access[] = ["key", "metrics", "vendor"];

export interface AuditDeps {
  readonly audit: Pick<AuditLog, "write">;
  readonly refusals: RefusalSample;
  readonly clock: Clock;
  /** An unexpected failure: for the operator's log, never for the caller. */
  onError(error: GatewayError, requestId: string): void;
}

/** Whether a route may change stored data. Model calls are recorded in the journal instead. */
export function isAudited({
  method,
  access,
  isAction,
}: Pick<RouteDescription, "method" | "access" | "isAction">): boolean {
  if (isAction === true) return true;
  return method !== "GET" && !NOT_AUDITED.includes(access);
}

/**
 * Runs a route between two rows of the audit log. The first row is written before any change; if
 * that fails, the change is refused. On public routes only a sample of failures is written, but
 * every success is.
 */
export async function handleAudited(
  route: Route,
  exchange: HttpExchange,
  deps: AuditDeps,
): Promise<Response> {
  const { address } = exchange.client;
  const details = await readDetails(route, exchange);
  const isWritten = route.access !== "public" || deps.refusals.mayWrite(address);
  if (isWritten)
    await deps.audit.write(entryOf(route, exchange, deps, { outcome: "asked", details }));
  try {
    const response = await route.handle(exchange);
    const { status } = response;
    const done = { ...(isWritten ? {} : details), ...exchange.noted };
    await writeAfter(
      entryOf(route, exchange, deps, { outcome: "done", status, details: done }),
      deps,
    );
    return response;
  } catch (cause) {
    const { code, fault } = GatewayError.from(cause);
    const outcome = fault.blame === "client" ? "refused" : "failed";
    const { status } = fault;
    const said = { outcome, status, details: { fault: code } } as const;
    if (isWritten) await writeAfter(entryOf(route, exchange, deps, said), deps);
    else deps.refusals.count(address);
    throw cause;
  }
}

/** Records a request with a credential that the management API refused. */
export async function noteRefusal(
  route: RouteDescription,
  exchange: HttpExchange,
  { code, fault }: GatewayError,
  deps: AuditDeps,
): Promise<void> {
  const isForPeople = route.scope !== undefined;
  if (!isForPeople || (code !== "forbidden" && code !== "unauthenticated")) return;
  // Every new visit starts without a credential.
  if (!hasCredential(exchange.request)) return;

  const { address } = exchange.client;
  if (!deps.refusals.mayWrite(address)) {
    deps.refusals.count(address);
    return;
  }
  const said = { outcome: "refused", status: fault.status, details: { fault: code } } as const;
  await writeAfter(entryOf(route, exchange, deps, said), deps);
}

/** The change is already made, so a missing row is reported to the operator. */
async function writeAfter(entry: AuditEntry, { audit, onError }: AuditDeps): Promise<void> {
  try {
    await audit.write(entry);
  } catch (cause) {
    onError(GatewayError.from(cause), entry.requestId);
  }
}

/** Empty if the body cannot be parsed: the handler reports that if it needs the body. */
async function readDetails(route: RouteDescription, exchange: HttpExchange): Promise<JsonObject> {
  try {
    const { json } = await exchange.readAhead(route.maxBodyBytes ?? MAX_BODY_BYTES);
    return withoutSecrets(json, route.requestSchema?.());
  } catch {
    return {};
  }
}

function entryOf(
  route: RouteDescription,
  exchange: HttpExchange,
  { clock }: AuditDeps,
  said: Pick<AuditEntry, "outcome"> & Partial<AuditEntry>,
): AuditEntry {
  const { user, proof } = exchange.actor;
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  return {
    at: clock.now(),
    actorId: user?.id ?? null,
    actor: user?.name ?? null,
    role: user?.role ?? null,
    proof,
    address: exchange.client.address ?? null,
    userAgent: exchange.request.headers.get("user-agent")?.slice(0, MAX_USER_AGENT_CHARS) ?? null,
    requestId: exchange.id,
    action: `${route.method} ${route.path}`,
    object: Object.fromEntries(
      names.map((name) => [name, cut(exchange.param(name), MAX_PARAM_CHARS)]),
    ),
    status: null,
    ...said,
    details: { ...said.details, ...tokenOf(exchange) },
  };
}

/** The id of the access token of the request, for a user may have several. */
function tokenOf({ accessToken }: HttpExchange): JsonObject {
  return accessToken === undefined ? {} : { by_token: accessToken.id };
}

function hasCredential(request: Request): boolean {
  return (readBearer(request) ?? readSession(request) ?? "") !== "";
}
