import type { CallQuery, CallRecord } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import type { HttpDeps } from "#http/deps.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange, Route } from "#http/routes.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { idIn } from "../read-id.ts";
import { wholeNumber } from "../whole-number.ts";
import { showCall, showCallWhole, showCostParts } from "./call-json.ts";

const common = { method: "GET", renderError: renderFailure } as const;

const PAGE_SIZE = { usual: 20, most: 100 } as const;

export const listOwnCalls: Route<HttpDeps> = {
  ...common,
  path: "/api/log/self",
  access: "user",
  summary:
    "Your calls, latest first. `token` chooses one token's, `session` one session's; " +
    "`page_size` says how many; " +
    "`before` is the id of the last call of the page before.",

  async handle(exchange, { calls }) {
    const { id: userId } = requireUser(exchange);
    return showPage(exchange, await calls.list({ ...pageIn(exchange.query), userId }), showCall);
  },
};

export const getOwnCall: Route<HttpDeps> = {
  ...common,
  path: "/api/log/self/:id",
  access: "user",
  summary: "One of your calls, by the `x-request-id` of its answer, and what each part of it cost.",

  async handle(exchange, { calls }) {
    const found = await calls.find(exchange.param("id"), requireUser(exchange).id);
    const call = existing(found);
    return succeed(exchange.id, "", { ...showCall(call), ...showCostParts(call) });
  },
};

export const listCalls: Route<HttpDeps> = {
  ...common,
  path: "/api/log",
  access: "auditor",
  summary:
    "Everybody's calls, latest first, with who served them; `user` chooses one user's, `session` one session's.",

  async handle(exchange, { calls }) {
    const { query } = exchange;
    const ofUser = defined({ userId: idIn(query, "user") });
    return showPage(exchange, await calls.list({ ...pageIn(query), ...ofUser }), showCallWhole);
  },
};

export const getCall: Route<HttpDeps> = {
  ...common,
  path: "/api/log/:id",
  access: "auditor",
  summary: "Anybody's call, with every attempt that was made, and what each part of it cost.",

  async handle(exchange, { calls }) {
    const found = await calls.find(exchange.param("id"));
    const call = existing(found);
    return succeed(exchange.id, "", { ...showCallWhole(call), ...showCostParts(call) });
  },
};

function pageIn(query: URLSearchParams): CallQuery {
  const before = query.get("before") ?? "";
  return {
    limit: wholeNumber(query, "page_size", PAGE_SIZE.usual, PAGE_SIZE.most),
    ...defined({
      keyId: idIn(query, "token"),
      before: before === "" ? undefined : before,
      session: query.get("session") || undefined,
    }),
  };
}

function showPage(
  { id }: Exchange,
  calls: readonly CallRecord[],
  show: (call: CallRecord) => JsonObject,
): Response {
  return succeed(id, "", { items: calls.map(show) });
}

function existing(found: CallRecord | undefined): CallRecord {
  if (found === undefined) throw new GatewayError("not_found", "There is no such call.");
  return found;
}
