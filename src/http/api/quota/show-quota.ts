import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import type { Ledger } from "#core/ledger.ts";
import type { QuotaOwner } from "#core/quota.ts";
import type { JsonObject } from "#lib/json.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import { showBudgets, SHOWN_BUDGETS, showUse, USE } from "../budget-fields.ts";
import { showUsdOrNull } from "../usd.ts";

export const QUOTA = { quota_usd: z.number().nullable(), ...USE, ...SHOWN_BUDGETS };

/** What an owner may spend and has spent, in all and in the periods that are running. */
export async function showQuota(
  owner: QuotaOwner,
  {
    ledger,
    quotas,
    clock,
  }: Pick<AccountDeps, "clock" | "quotas"> & { readonly ledger: Pick<Ledger, "findAccount"> },
): Promise<JsonObject> {
  const account = await ledger.findAccount(owner);
  if (account === undefined) throw new GatewayError("internal", `There is no account ${owner}.`);
  const now = clock.now();
  return {
    quota_usd: showUsdOrNull(account.granted),
    ...showUse(account, now),
    ...showBudgets(await quotas.budgets(owner), now),
  };
}
