import type { GrantRecord, QuotaOwner } from "#core/quota.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import type { HttpDeps } from "#http/deps.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { showUsdChange } from "../usd.ts";
import { wholeNumber } from "../whole-number.ts";
import { seconds } from "../seconds.ts";

const PAGE_SIZE = { usual: 20, most: 100 } as const;

/** Changes of an owner's total quota, latest first. */
export async function showHistory(
  exchange: Exchange,
  owner: QuotaOwner,
  { quotas }: HttpDeps,
): Promise<Response> {
  const { query } = exchange;
  const before = query.get("before") ?? "";
  const items = await quotas.history(owner, {
    limit: wholeNumber(query, "page_size", PAGE_SIZE.usual, PAGE_SIZE.most),
    ...defined({ before: before === "" ? undefined : before }),
  });
  return succeed(exchange.id, "", { items: items.map(showGrant) });
}

function showGrant({ id, at, amount, bound, note }: GrantRecord): JsonObject {
  return { id, at: seconds(at), change_usd: showUsdChange(amount), bound, note };
}
