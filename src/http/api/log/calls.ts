import { z } from "zod";
import type { CallLog, CallNames, CallQuery, CallRecord, CallScope } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import type { User } from "#core/user.ts";
import type { JsonObject } from "#lib/json.ts";
import type { ReportDeps } from "#http/deps/reports.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import {
  CALL,
  CALL_IN_PARTS,
  MEMBERS_CALL,
  MEMBERS_CALL_IN_PARTS,
  OWN_CALL,
  OWN_CALL_IN_PARTS,
  showCall,
  showCallWhole,
  showCostParts,
  showMembersCall,
} from "./call-json.ts";
import { FILTER, MEMBERS_FILTER, OWN_FILTER, PAGE, pageIn, showPosition } from "./call-query.ts";

const common = { method: "GET", tag: "Calls" } as const;

/** `next` also exists if the search stopped before it found a whole page. */
function page(call: z.ZodType) {
  return z.object({
    items: z.array(call),
    next: z.string().nullable().describe("`before` of the next page; null at the end."),
  });
}

export const listOwnCalls = management({
  operationId: "listOwnCalls",
  ...common,
  path: "/api/log/self",
  access: "user",
  summary:
    "Your calls, latest first. " +
    "`page_size`: number of calls; " +
    "`before`: `next` of the previous page.",

  query: OWN_FILTER.extend(PAGE),
  data: page(OWN_CALL),

  async handle(exchange, { calls }: Pick<ReportDeps, "calls">, { query }) {
    const viewer = ownView(requireUser(exchange));
    return await showPage(exchange, calls, query.id, pageIn(query), viewer);
  },
});

export const getOwnCall = management({
  operationId: "getOwnCall",
  ...common,
  path: "/api/log/self/:id",
  access: "user",
  summary: "One of your calls, by the `x-request-id` of its answer, with the cost of each part.",
  data: OWN_CALL_IN_PARTS,

  async handle(exchange, { calls }: Pick<ReportDeps, "calls">) {
    return await showOne(exchange, calls, ownView(requireUser(exchange)));
  },
});

export const listTeamCalls = management({
  operationId: "listTeamCalls",
  ...common,
  path: "/api/log/team",
  access: "user",
  summary: "Calls of the members of a team, for its owners, latest first. Channels are not shown.",

  query: MEMBERS_FILTER.extend(PAGE),
  data: page(MEMBERS_CALL),

  async handle(exchange, { calls }: Pick<ReportDeps, "calls">, { query }) {
    const viewer = teamView(requireUser(exchange));
    return await showPage(exchange, calls, query.id, pageIn(query), viewer);
  },
});

export const getTeamCall = management({
  operationId: "getTeamCall",
  ...common,
  path: "/api/log/team/:id",
  access: "user",
  summary: "A call of a member of your team, with the cost of each part.",
  data: MEMBERS_CALL_IN_PARTS,

  async handle(exchange, { calls }: Pick<ReportDeps, "calls">) {
    return await showOne(exchange, calls, teamView(requireUser(exchange)));
  },
});

export const listCalls = management({
  operationId: "listCalls",
  ...common,
  path: "/api/log",
  access: "auditor",
  summary: "Calls of all users, latest first, with the channel that served them.",

  query: FILTER.extend(PAGE),
  data: page(CALL),

  async handle(exchange, { calls }: Pick<ReportDeps, "calls">, { query }) {
    return await showPage(exchange, calls, query.id, pageIn(query), AUDITORS_VIEW);
  },
});

export const getCall = management({
  operationId: "getCall",
  ...common,
  path: "/api/log/:id",
  access: "auditor",
  summary: "A call of any user, with all attempts and the cost of each part.",
  data: CALL_IN_PARTS,

  async handle(exchange, { calls }: Pick<ReportDeps, "calls">) {
    return await showOne(exchange, calls, AUDITORS_VIEW);
  },
});

/** The calls that a user sees, and their form. */
interface CallView {
  readonly scope: CallScope;
  readonly show: (call: CallRecord, names: CallNames) => JsonObject;
}

const AUDITORS_VIEW: CallView = { scope: {}, show: showCallWhole };

function ownView({ id: userId }: User): CallView {
  return { scope: { userId }, show: showCall };
}

function teamView({ teamId, isTeamOwner }: User): CallView {
  if (teamId !== undefined && isTeamOwner === true) {
    return { scope: { teamId }, show: showMembersCall };
  }
  throw new GatewayError("not_found", "You own no team. An admin can make you an owner of yours.");
}

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

async function showOne(
  exchange: Exchange,
  log: CallLog,
  { scope, show }: CallView,
): Promise<Response> {
  const call = await log.find(exchange.param("id"), scope);
  if (call === undefined) throw new GatewayError("not_found", "Call not found.");
  const names = await log.namesOf([call]);
  return succeed(exchange.id, "", { ...show(call, names), ...showCostParts(call) });
}
