import type { AuditEntry } from "#core/audit.ts";
import { GatewayError } from "#core/error.ts";
import { ROLES } from "#core/user.ts";
import type { JsonObject } from "#lib/json.ts";
import { MAX_BODY_BYTES } from "./api/envelope.ts";
import { readBearer } from "./credential.ts";
import type { HttpDeps } from "./deps.ts";
import type { HttpExchange } from "./exchange.ts";
import type { Access, Route } from "./routes.ts";
import { readSession } from "./session-cookie.ts";
import { cut, withoutSecrets } from "./without-secrets.ts";

const MAX_USER_AGENT_CHARS = 200;
/** Longer than any name; and nobody unknown fills the disk by it. */
const MAX_PARAM_CHARS = 400;
/** Whose requests change nothing that the gateway keeps. */
const NOT_AUDITED: readonly Access[] = ["key", "metrics", "vendor"];

/** Whether a route may change what the gateway keeps. Calls of models are in the journal instead. */
export function isAudited({ method, access, isAction }: Route<HttpDeps>): boolean {
  if (isAction === true) return true;
  return method !== "GET" && !NOT_AUDITED.includes(access);
}

/**
 * Lets a route act between two rows of the audit log. The first one is on disk
 * before anything changes; without it, nothing does. Where anybody at all may
 * call, the rows are a sample; but whoever succeeds is always in the log.
 */
export async function handleAudited(
  route: Route<HttpDeps>,
  exchange: HttpExchange,
  deps: HttpDeps,
): Promise<Response> {
  const { address } = exchange.client;
  const details = await readDetails(route, exchange);
  const isWritten = route.access !== "public" || deps.refusals.mayWrite(address);
  if (isWritten)
    await deps.audit.write(entryOf(route, exchange, deps, { outcome: "asked", details }));
  try {
    const response = await route.handle(exchange, deps);
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

/** Somebody showed a credential, and was kept from the management API. */
export async function noteRefusal(
  route: Route<HttpDeps>,
  exchange: HttpExchange,
  { code, fault }: GatewayError,
  deps: HttpDeps,
): Promise<void> {
  const isForPeople = route.access === "mfa_pending" || ROLES.some((role) => role === route.access);
  if (!isForPeople || (code !== "forbidden" && code !== "unauthenticated")) return;
  // Every visit begins without one.
  if (!hasCredential(exchange.request)) return;

  const { address } = exchange.client;
  if (!deps.refusals.mayWrite(address)) {
    deps.refusals.count(address);
    return;
  }
  const said = { outcome: "refused", status: fault.status, details: { fault: code } } as const;
  await writeAfter(entryOf(route, exchange, deps, said), deps);
}

/** What is done cannot be undone: that its row is missing is for the operator to hear. */
async function writeAfter(entry: AuditEntry, { audit, onError }: HttpDeps): Promise<void> {
  try {
    await audit.write(entry);
  } catch (cause) {
    onError(GatewayError.from(cause), entry.requestId);
  }
}

/** Nothing where the body cannot be read: the handler says so, if it wants one at all. */
async function readDetails(route: Route<HttpDeps>, exchange: HttpExchange): Promise<JsonObject> {
  try {
    const { json } = await exchange.readAhead(route.maxBodyBytes ?? MAX_BODY_BYTES);
    return withoutSecrets(json, route.requestSchema?.());
  } catch {
    return {};
  }
}

function entryOf(
  route: Route<HttpDeps>,
  exchange: HttpExchange,
  { clock }: HttpDeps,
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
    details: {},
    status: null,
    ...said,
  };
}

function hasCredential(request: Request): boolean {
  return (readBearer(request) ?? readSession(request) ?? "") !== "";
}
