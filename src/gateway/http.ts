import type { AuthenticationDeps } from "#http/authenticate.ts";
import type { AuditDeps } from "#http/audit.ts";
import { ENDPOINTS, SUBJECTS, type DepsBySubject } from "#http/registry.ts";
import { bind, type Route } from "#http/routes.ts";
import type { AppDeps, ListenerDeps, Refusing } from "#http/server.ts";
import { defined } from "#lib/values.ts";
import { logFailure } from "./failure-log.ts";
import type { Infrastructure, Stores } from "./infrastructure.ts";
import type { Media } from "./media.ts";
import type { GatewayOptions } from "./options.ts";
import type { Relay } from "./relay.ts";
import type { Routing } from "./routing.ts";

/** Gives each subject's endpoints their dependencies, in the order of the registry. */
export function openRoutes(deps: DepsBySubject): readonly Route[] {
  const bound = <Subject extends keyof DepsBySubject>(subject: Subject): readonly Route[] =>
    bind<DepsBySubject[Subject]>(ENDPOINTS[subject], deps[subject]);
  return SUBJECTS.flatMap(bound);
}

export function callerDeps({
  clock,
  settings,
  storage: { keys, logins, accessTokens },
}: Pick<Infrastructure, "clock" | "settings"> &
  Stores<"keys" | "logins" | "accessTokens">): AuthenticationDeps {
  return {
    keys,
    logins,
    accessTokens,
    clock,
    metricsToken: settings.metricsToken?.open(),
    get secondFactorRule() {
      return settings.secondFactorRule;
    },
  };
}

export function appDeps(
  {
    routes,
    callers,
    refusals,
    clock,
    problems,
    settings,
    deadlines,
    channelRegistry,
    metrics,
    pages,
    storage: { audit },
  }: Pick<AppDeps, "routes" | "callers"> &
    Pick<Refusing, "pages"> &
    Pick<AuditDeps, "refusals"> &
    Pick<Infrastructure, "clock" | "problems" | "settings" | "deadlines"> &
    Pick<Routing, "channelRegistry"> &
    Pick<Relay, "metrics"> &
    Stores<"audit">,
  { onAnswer }: Pick<GatewayOptions, "onAnswer">,
): AppDeps {
  const onError: AppDeps["onError"] = (error, requestId) => logFailure(problems, error, requestId);
  return {
    routes,
    callers,
    trail: { audit, refusals, clock, onError },
    pathAliases: settings.pathAliases,
    channelRegistry,
    deadlines,
    clock,
    limits: settings.limits,
    settings,
    ...defined({ onAnswer }),
    refusing: {
      pages,
      onRefused: (status, reason) => metrics.calls.countRefusal(status, reason),
    },
    onError,
  };
}

export function listenerDeps({
  settings: { trustedProxies, limits },
  readiness,
  sockets,
  liveCalls,
  egress,
  contents,
  relay: { admission },
}: Pick<Infrastructure, "settings" | "egress"> &
  Pick<ListenerDeps, "readiness" | "sockets" | "liveCalls"> &
  Pick<Media, "contents"> &
  Pick<Relay, "relay">): ListenerDeps {
  return {
    trustedProxies,
    limits,
    readiness,
    sockets,
    liveCalls,
    egress,
    contents,
    open: admission.open,
  };
}
