import { z } from "zod";
import type { AccountDeps } from "#http/deps/accounts.ts";
import { requireUser } from "#http/require-user.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";

const MAX_IDS = 1_000;

const ID = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
const REQUEST = z.strictObject({ ids: z.array(ID).min(1).max(MAX_IDS) });

export const deleteTokens = management({
  operationId: "deleteTokens",
  tag: "Tokens",
  method: "POST",
  path: "/api/token/batch",
  access: "user",
  scope: "keys:write",
  summary:
    "Deletes several tokens permanently. Names those that do not exist or belong to another user.",
  body: REQUEST,
  data: z.object({ deleted: z.int(), not_deleted: z.array(z.int()) }),

  async handle(exchange, { userKeys }: Pick<AccountDeps, "userKeys">, { body }) {
    const ids = [...new Set(body.ids)];
    const deleted = await userKeys.deleteOwn(requireUser(exchange).id, ids);
    const gone = new Set(deleted);
    return succeed(exchange.id, `${deleted.length} of ${ids.length} tokens were deleted.`, {
      deleted: deleted.length,
      not_deleted: ids.filter((id) => !gone.has(id)),
    });
  },
});
