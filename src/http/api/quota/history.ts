import { z } from "zod";
import type { GrantRecord, QuotaOwner } from "#core/quota.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { showUsdChange } from "../usd.ts";
import { items } from "../management.ts";
import { pageSize, textField } from "../query-fields.ts";
import { seconds } from "../seconds.ts";

export const HISTORY = z.object({
  page_size: pageSize(20, 100),
  before: textField("The id of the last item of the previous page."),
});

export const GRANTS = items(
  z
    .object({
      id: z.string(),
      at: z.int(),
      change_usd: z.number(),
      bound: z.enum(["given", "kept", "taken"]),
      note: z.string().nullable(),
    })
    .meta({ id: "Grant" }),
);

/** Changes of an owner's total quota, latest first. */
export async function showHistory(
  exchange: Exchange,
  owner: QuotaOwner,
  { page_size: limit, before }: z.output<typeof HISTORY>,
  { quotas }: Pick<AccountDeps, "quotas">,
): Promise<Response> {
  const grants = await quotas.history(owner, { limit, ...defined({ before }) });
  return succeed(exchange.id, "", { items: grants.map(showGrant) });
}

function showGrant({ id, at, amount, bound, note }: GrantRecord): JsonObject {
  return { id, at: seconds(at), change_usd: showUsdChange(amount), bound, note };
}
