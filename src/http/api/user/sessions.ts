import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import type { SessionRecord, User } from "#core/user.ts";
import type { JsonObject } from "#lib/json.ts";
import type { LoginDeps } from "#http/deps/logins.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange } from "#http/routes.ts";
import { ownSession } from "#http/start-session.ts";
import { succeed } from "../envelope.ts";
import { items, management } from "../management.ts";
import { seconds } from "../seconds.ts";
import { findUser, refuseUnlessAbove } from "./find-user.ts";

const common = { access: "user", tag: "Account" } as const;

export const SESSION = z
  .object({
    id: z.string(),
    created_at: z.int(),
    seen_at: z.int(),
    network: z.string().nullable().describe("Where it began: /24, or /48 of IPv6."),
    user_agent: z.string().nullable().describe("Of the browser that logged in, shortened."),
    is_own: z.boolean(),
  })
  .meta({ id: "Session" });

export const listSessions = management({
  operationId: "listSessions",
  ...common,
  scope: "account:read",
  method: "GET",
  path: "/api/user/self/sessions",
  summary: "Your sessions, the most recently used first.",
  data: items(SESSION),

  async handle(exchange, { logins }: Pick<LoginDeps, "logins">) {
    const found = await logins.listSessions(requireUser(exchange).id, ownSession(exchange));
    return succeed(exchange.id, "", { items: found.map(showSession) });
  },
});

export const endSessions = management({
  operationId: "endSessions",
  ...common,
  scope: "account:write",
  method: "POST",
  path: "/api/user/self/sessions/end",
  summary: "Ends all your sessions except the current one.",
  data: z.object({ ended: z.int() }),

  async handle(exchange, { logins }: Pick<LoginDeps, "logins">) {
    const ended = await logins.endOtherSessions(requireUser(exchange).id, ownSession(exchange));
    return succeed(exchange.id, "Your other sessions were ended.", { ended });
  },
});

export const endSession = management({
  operationId: "endSession",
  ...common,
  scope: "account:write",
  method: "DELETE",
  path: "/api/user/self/sessions/:session",
  summary: "Ends one of your sessions.",

  async handle(exchange, { logins }: Pick<LoginDeps, "logins">) {
    const { id } = requireUser(exchange);
    if (!(await logins.endSessionOf(id, exchange.param("session")))) {
      throw new GatewayError("not_found", "You have no such session.");
    }
    return succeed(exchange.id, "The session was ended.");
  },
});

const ofUser = { tag: "Users", access: "admin" } as const;

export const listUserSessions = management({
  operationId: "listUserSessions",
  ...ofUser,
  method: "GET",
  path: "/api/user/:id/sessions",
  scope: "users:read",
  summary: "Sessions of a user of a role below your own, the most recently used first.",
  data: items(SESSION),

  async handle(exchange, deps: Pick<LoginDeps, "users" | "logins">) {
    const { id } = await findBelow(exchange, deps);
    const found = await deps.logins.listSessions(id, undefined);
    return succeed(exchange.id, "", { items: found.map(showSession) });
  },
});

export const endUserSession = management({
  operationId: "endUserSession",
  ...ofUser,
  method: "DELETE",
  path: "/api/user/:id/sessions/:session",
  scope: "users:write",
  summary: "Ends one session of a user of a role below your own.",

  async handle(exchange, deps: Pick<LoginDeps, "users" | "logins">) {
    const { id } = await findBelow(exchange, deps);
    if (!(await deps.logins.endSessionOf(id, exchange.param("session")))) {
      throw new GatewayError("not_found", "The user has no such session.");
    }
    return succeed(exchange.id, "The session was ended.");
  },
});

export const endUserSessions = management({
  operationId: "endUserSessions",
  ...ofUser,
  method: "POST",
  path: "/api/user/:id/end-sessions",
  scope: "users:write",
  summary: "Ends all sessions of a user of a role below your own. Keys and access tokens stay.",
  data: z.object({ ended: z.int() }),

  async handle(exchange, deps: Pick<LoginDeps, "users" | "logins">) {
    const { id } = await findBelow(exchange, deps);
    const ended = await deps.logins.endOtherSessions(id, undefined);
    return succeed(exchange.id, "The user's sessions were ended.", { ended });
  },
});

async function findBelow(exchange: Exchange, { users }: Pick<LoginDeps, "users">): Promise<User> {
  const user = await findUser(exchange, users);
  refuseUnlessAbove(requireUser(exchange), user.role);
  return user;
}

export function showSession(session: SessionRecord): JsonObject {
  const { id, createdAt, seenAt, network, userAgent, isOwn } = session;
  return {
    id,
    created_at: seconds(createdAt),
    seen_at: seconds(seenAt),
    network: network ?? null,
    user_agent: userAgent ?? null,
    is_own: isOwn,
  };
}
