import { z } from "zod";
import type { CallLog, CallQuery, CallRecord } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import type { User } from "#core/user.ts";
import type { ReportDeps } from "#http/deps/reports.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange, LoginPermission } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import {
  CALL,
  CALL_IN_PARTS,
  MEMBERS_CALL,
  MEMBERS_CALL_IN_PARTS,
  OWN_CALL,
  OWN_CALL_IN_PARTS,
  showCallWhole,
  showCostParts,
} from "./call-json.ts";
import { CALL_LIMITS, showCallLimits, type LimitDeps } from "./call-limits.ts";
import { FILTER, MEMBERS_FILTER, OWN_FILTER, PAGE, pageIn, showPosition } from "./call-query.ts";
import { AUDITORS_VIEW, ownView, teamView, type CallView } from "./call-view.ts";

interface CallRoute extends LoginPermission {
  readonly operationId: string;
  readonly path: string;
  readonly summary: string;
  readonly data: z.ZodType;
}

type ViewOf = (user: User) => CallView;
type Query = z.ZodObject<typeof OWN_FILTER.shape & typeof PAGE>;

function callsRoute({ data, ...route }: CallRoute, query: Query, viewOf: ViewOf) {
  return management({
    ...route,
    method: "GET",
    tag: "Calls",
    query,
    // `next` also exists if the search stopped before it found a whole page.
    data: z.object({
      items: z.array(data),
      next: z.string().nullable().describe("`before` of the next page; null at the end."),
    }),
    handle: async (exchange, { calls }: Pick<ReportDeps, "calls">, { query: asked }) =>
      await showPage(exchange, calls, asked.id, pageIn(asked), viewOf(requireUser(exchange))),
  });
}

function callRoute(route: CallRoute, viewOf: ViewOf) {
  return management({
    ...route,
    method: "GET",
    tag: "Calls",
    handle: async (exchange, { calls }: Pick<ReportDeps, "calls">) =>
      await showOne(exchange, calls, viewOf(requireUser(exchange))),
  });
}

export const listOwnCalls = callsRoute(
  {
    operationId: "listOwnCalls",
    path: "/api/log/self",
    access: "user",
    scope: "logs:read",
    summary:
      "Your calls, latest first. " +
      "`page_size`: number of calls; " +
      "`before`: `next` of the previous page.",
    data: OWN_CALL,
  },
  OWN_FILTER.extend(PAGE),
  ownView,
);

export const listTeamCalls = callsRoute(
  {
    operationId: "listTeamCalls",
    path: "/api/log/team",
    access: "user",
    scope: "logs:read",
    summary:
      "Calls of the members of a team, for its owners, latest first. Channels are not shown.",
    data: MEMBERS_CALL,
  },
  MEMBERS_FILTER.extend(PAGE),
  teamView,
);

export const listCalls = callsRoute(
  {
    operationId: "listCalls",
    path: "/api/log",
    access: "auditor",
    scope: "logs:read",
    summary: "Calls of all users, latest first, with the channel that served them.",
    data: CALL,
  },
  FILTER.extend(PAGE),
  () => AUDITORS_VIEW,
);

export const getOwnCall = callRoute(
  {
    operationId: "getOwnCall",
    path: "/api/log/self/:id",
    access: "user",
    scope: "logs:read",
    summary: "One of your calls, by the `x-request-id` of its answer, with the cost of each part.",
    data: OWN_CALL_IN_PARTS,
  },
  ownView,
);

export const getTeamCall = callRoute(
  {
    operationId: "getTeamCall",
    path: "/api/log/team/:id",
    access: "user",
    scope: "logs:read",
    summary: "A call of a member of your team, with the cost of each part.",
    data: MEMBERS_CALL_IN_PARTS,
  },
  teamView,
);

export const getCall = management({
  operationId: "getCall",
  tag: "Calls",
  method: "GET",
  path: "/api/log/:id",
  access: "auditor",
  scope: "logs:read",
  summary:
    "A call of any user, with all attempts, the cost of each part, and the limits of its key.",
  data: CALL_IN_PARTS.extend({ limits: CALL_LIMITS }),

  async handle(exchange, { calls, ...deps }: Pick<ReportDeps, "calls"> & LimitDeps) {
    const call = await requireCall(exchange, calls, AUDITORS_VIEW);
    const names = await calls.namesOf([call]);
    return succeed(exchange.id, "", {
      ...showCallWhole(call, names),
      ...showCostParts(call),
      limits: await showCallLimits(call, deps),
    });
  },
});

async function showPage(
  exchange: Exchange,
  log: CallLog,
  id: string | undefined,
  query: CallQuery,
  { scope, show }: CallView,
): Promise<Response> {
  const { calls, next } =
    id === undefined
      ? await log.list({ ...query, scope })
      : {
          calls: [await log.find(id, scope)].filter((call) => call !== undefined),
          next: undefined,
        };
  const names = await log.namesOf(calls);
  return succeed(exchange.id, "", {
    items: calls.map((call) => show(call, names)),
    next: showPosition(next),
  });
}

async function showOne(exchange: Exchange, log: CallLog, view: CallView): Promise<Response> {
  const call = await requireCall(exchange, log, view);
  const names = await log.namesOf([call]);
  return succeed(exchange.id, "", { ...view.show(call, names), ...showCostParts(call) });
}

async function requireCall(
  exchange: Exchange,
  log: CallLog,
  { scope }: CallView,
): Promise<CallRecord> {
  const call = await log.find(exchange.param("id"), scope);
  if (call === undefined) throw new GatewayError("not_found", "Call not found.");
  return call;
}
