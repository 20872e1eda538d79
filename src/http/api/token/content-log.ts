import { z } from "zod";
import { CONTENT_LEVELS } from "#core/content-log.ts";
import { GatewayError } from "#core/error.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { readId } from "../read-id.ts";

export const setTokenContentLog = management({
  operationId: "setTokenContentLog",
  tag: "Tokens",
  method: "PUT",
  path: "/api/token/:id/content_log",
  access: "admin",
  scope: "keys:write",
  summary: "Sets the level of the content log of any user's token.",
  body: z.strictObject({
    content_log: z
      .enum(CONTENT_LEVELS)
      .nullable()
      .describe("`off`, `errors` or `all`; null for the level of the group or the gateway."),
  }),

  async handle(exchange, { userKeys }: Pick<AccountDeps, "userKeys">, { body }) {
    if (await userKeys.setContentLog(readId(exchange.param("id")) ?? 0, body.content_log)) {
      return succeed(exchange.id, "");
    }
    throw new GatewayError("not_found", "Token not found.");
  },
});
