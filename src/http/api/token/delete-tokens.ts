import { listOf } from "#lib/values.ts";
import { integer, list, object } from "#lib/rules.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import type { HttpDeps } from "#http/deps.ts";
import { requireUser } from "#http/require-user.ts";
import type { Route } from "#http/routes.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { readFields } from "../read-fields.ts";

const MAX_IDS = 1_000;

const REQUEST = object({
  "ids!": list(integer(1, Number.MAX_SAFE_INTEGER), MAX_IDS, 1),
});

export const deleteTokens: Route<HttpDeps> = {
  method: "POST",
  path: "/api/token/batch",
  access: "user",
  summary: "Deletes many tokens for good. Those that were not there, or not yours, are named.",
  renderError: renderFailure,
  requestSchema: () => schemaOf(REQUEST),

  async handle(exchange, { ownKeys }) {
    const body = await readFields(exchange, REQUEST);
    const ids = [...new Set(listOf(body["ids"]).filter((id) => typeof id === "number"))];
    const deleted = await ownKeys.deleteOwn(requireUser(exchange).id, ids);
    const gone = new Set(deleted);
    return succeed(exchange.id, `${deleted.length} of ${ids.length} tokens were deleted.`, {
      deleted: deleted.length,
      not_deleted: ids.filter((id) => !gone.has(id)),
    });
  },
};
