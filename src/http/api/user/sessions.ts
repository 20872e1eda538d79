import type { SessionRecord } from "#core/user.ts";
import type { JsonObject } from "#lib/json.ts";
import type { HttpDeps } from "#http/deps.ts";
import { requireUser } from "#http/require-user.ts";
import type { Route } from "#http/routes.ts";
import { ownSession } from "#http/start-session.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { seconds } from "../seconds.ts";

const common = { access: "user", renderError: renderFailure } as const;

export const listSessions: Route<HttpDeps> = {
  ...common,
  method: "GET",
  path: "/api/user/self/sessions",
  summary: "Where you are logged in: since when, when it was last used, and from which network.",

  async handle(exchange, { logins }) {
    const found = await logins.listSessions(requireUser(exchange).id, ownSession(exchange));
    return succeed(exchange.id, "", { items: found.map(showSession) });
  },
};

export const endSessions: Route<HttpDeps> = {
  ...common,
  method: "POST",
  path: "/api/user/self/sessions/end",
  summary: "Ends all your sessions but the one that asks.",

  async handle(exchange, { logins }) {
    const ended = await logins.endOtherSessions(requireUser(exchange).id, ownSession(exchange));
    return succeed(exchange.id, "Your other sessions are ended.", { ended });
  },
};

function showSession({ createdAt, seenAt, network, isOwn }: SessionRecord): JsonObject {
  return {
    created_at: seconds(createdAt),
    seen_at: seconds(seenAt),
    network: network ?? null,
    is_own: isOwn,
  };
}
