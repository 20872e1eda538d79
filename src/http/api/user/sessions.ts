import { z } from "zod";
import type { SessionRecord } from "#core/user.ts";
import type { JsonObject } from "#lib/json.ts";
import type { LoginDeps } from "#http/deps/logins.ts";
import { requireUser } from "#http/require-user.ts";
import { ownSession } from "#http/start-session.ts";
import { succeed } from "../envelope.ts";
import { items, management } from "../management.ts";
import { seconds } from "../seconds.ts";

const common = { access: "user", tag: "Account" } as const;

const SESSION = z.object({
  created_at: z.int(),
  seen_at: z.int(),
  network: z.string().nullable(),
  is_own: z.boolean(),
});

export const listSessions = management({
  operationId: "listSessions",
  ...common,
  scope: "account:read",
  method: "GET",
  path: "/api/user/self/sessions",
  summary: "Your sessions, with their start, last use and network.",
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

function showSession({ createdAt, seenAt, network, isOwn }: SessionRecord): JsonObject {
  return {
    created_at: seconds(createdAt),
    seen_at: seconds(seenAt),
    network: network ?? null,
    is_own: isOwn,
  };
}
