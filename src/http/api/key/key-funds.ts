import { periodAccounts, periodEnd } from "#core/budget.ts";
import type { AccountId, ApiKey, Period } from "#core/key.ts";
import { unopenedAccount, type Account } from "#core/ledger.ts";
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
    fundOf("total", await ledger.findAccount(id), null),
  );
  const periods = periodAccounts(key.budgets ?? [], now).map(async ({ id, budget }) => {
    const account = (await ledger.findAccount(id)) ?? unopenedAccount(id, budget);
    return fundOf(budget.period, account, periodEnd(budget.period, now));
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
): Fund | undefined {
  if (account === undefined || account.granted === null) return undefined;
  const { id, granted: limit, spent, held } = account;
  const left = nanoUsd(Math.max(0, limit - spent - held));
  return { owner: ownerOf(id), period, limit, spent, held, left, resetsAt };
}

function ownerOf(id: AccountId): Fund["owner"] {
  if (id.startsWith("key:")) return "key";
  return id.startsWith("team:") ? "team" : "user";
}
