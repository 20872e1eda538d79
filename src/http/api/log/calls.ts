import { z } from "zod";
import type { CallQuery, CallRecord } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import type { ReportDeps } from "#http/deps/reports.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { items, management } from "../management.ts";
import { idField, pageSize, textField } from "../query-fields.ts";
import {
  CALL,
  CALL_IN_PARTS,
  OWN_CALL,
  OWN_CALL_IN_PARTS,
  showCall,
  showCallWhole,
  showCostParts,
} from "./call-json.ts";

const common = { method: "GET", tag: "Calls" } as const;

const OWN_PAGE = z.object({
  token: idField("Calls of this token."),
  session: textField("Calls of this session."),
  page_size: pageSize(20, 100),
  before: textField("The id of the last call of the page before."),
});

const PAGE = OWN_PAGE.extend({ user: idField("Calls of this user.") });

export const listOwnCalls = management({
  operationId: "listOwnCalls",
  ...common,
  path: "/api/log/self",
  access: "user",
  summary:
    "Your calls, latest first. Filters: `token`, `session`. " +
    "`page_size`: number of calls; " +
    "`before`: the id of the last call of the previous page.",

  query: OWN_PAGE,
  data: items(OWN_CALL),

  async handle(exchange, { calls }: Pick<ReportDeps, "calls">, { query }) {
    const { id: userId } = requireUser(exchange);
    return showPage(exchange, await calls.list({ ...pageIn(query), userId }), showCall);
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
    const found = await calls.find(exchange.param("id"), requireUser(exchange).id);
    const call = existing(found);
    return succeed(exchange.id, "", { ...showCall(call), ...showCostParts(call) });
  },
});

export const listCalls = management({
  operationId: "listCalls",
  ...common,
  path: "/api/log",
  access: "auditor",
  summary:
    "Calls of all users, latest first, with the channel that served them. Filters: `user`, `session`.",

  query: PAGE,
  data: items(CALL),

  async handle(exchange, { calls }: Pick<ReportDeps, "calls">, { query }) {
    const ofUser = defined({ userId: query.user });
    return showPage(exchange, await calls.list({ ...pageIn(query), ...ofUser }), showCallWhole);
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
    const found = await calls.find(exchange.param("id"));
    const call = existing(found);
    return succeed(exchange.id, "", { ...showCallWhole(call), ...showCostParts(call) });
  },
});

function pageIn({ page_size, token, before, session }: z.output<typeof OWN_PAGE>): CallQuery {
  return { limit: page_size, ...defined({ keyId: token, before, session }) };
}

function showPage(
  { id }: Exchange,
  calls: readonly CallRecord[],
  show: (call: CallRecord) => JsonObject,
): Response {
  return succeed(id, "", { items: calls.map(show) });
}

function existing(found: CallRecord | undefined): CallRecord {
  if (found === undefined) throw new GatewayError("not_found", "Call not found.");
  return found;
}
