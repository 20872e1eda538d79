import { periodAccounts, scheduleIn } from "#core/budget.ts";
import { GATEWAY_OWNER, type AccountId, type ApiKey, type Period } from "#core/key.ts";
import { limitOf, unopenedAccount, type Account } from "#core/ledger.ts";
import { nanoUsd, type NanoUsd } from "#core/money.ts";
import type { HolderDeps } from "#http/deps/holders.ts";

/** A limit of spending that binds a key. */
export interface Fund {
  readonly owner: "key" | "user" | "team";
  /** `total` never starts again. */
  readonly period: Period | "total";
  readonly limit: NanoUsd;
  readonly spent: NanoUsd;
  /** Reserved by running calls. */
  readonly held: NanoUsd;
  readonly left: NanoUsd;
  /** Unix ms. */
  readonly resetsAt: number | null;
}

/** The quotas and budgets of the key, its user and its team. */
export async function findFunds(
  key: ApiKey,
  { ledger, clock }: Pick<HolderDeps, "ledger" | "clock">,
): Promise<readonly Fund[]> {
  const now = clock.now();
  const totals = key.accounts.map(async (id) =>
    fundOf("total", await ledger.findAccount(id), null, now),
  );
  // The budgets of all callers together are no business of one holder.
  const own = (key.budgets ?? []).filter(({ owner }) => owner !== GATEWAY_OWNER);
  const periods = periodAccounts(own, now).map(async ({ id, budget }) => {
    const account = (await ledger.findAccount(id)) ?? unopenedAccount(id, budget);
    return fundOf(budget.period, account, scheduleIn(budget).spanAt(now).endsAt, now);
  });
  const funds = await Promise.all([...totals, ...periods]);
  return funds.filter((fund) => fund !== undefined);
}

/** The limit with the least left; undefined if nothing binds the key. */
export function scarcestOf(funds: readonly Fund[]): Fund | undefined {
  return funds.toSorted((one, other) => one.left - other.left)[0];
}

function fundOf(
  period: Fund["period"],
  account: Account | undefined,
  resetsAt: number | null,
  now: number,
): Fund | undefined {
  const limit = account === undefined ? null : limitOf(account, now);
  if (account === undefined || limit === null) return undefined;
  const { id, spent, held } = account;
  const left = nanoUsd(Math.max(0, limit - spent - held));
  return { owner: ownerOf(id), period, limit, spent, held, left, resetsAt };
}

function ownerOf(id: AccountId): Fund["owner"] {
  if (id.startsWith("key:")) return "key";
  // A member's budget is of the user, in the name of the team.
  return id.startsWith("team:") ? "team" : "user";
}
