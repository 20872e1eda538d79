import { periodAccounts, scheduleIn } from "#core/budget.ts";
import type { AccountId, ApiKey, Budget, OwnerId, Period } from "#core/key.ts";
import { limitOf, type Account, type Ledger } from "#core/ledger.ts";
import type { NanoUsd } from "#core/money.ts";
import type { Clock } from "#lib/clock.ts";

/** How far a quota or a budget is used. */
export interface BudgetUse {
  /** Unique for an owner and a period, so that an observer can tell a repetition. */
  readonly account: AccountId;
  readonly owner: OwnerId;
  /** `total` is a quota. */
  readonly period: Period | "total";
  /** `limit` refuses calls; `warning` only warns. */
  readonly bound: "limit" | "warning";
  readonly amount: NanoUsd;
  readonly spent: NanoUsd;
  /** Whole percent of the amount, rounded down. */
  readonly percent: number;
  /** Percent at the previous report of this gateway; 0 at the first one. */
  readonly before: number;
  /** Unix ms; null for a quota. */
  readonly resetsAt: number | null;
}

/**
 * Hears of a quota or budget if its used percentage has grown: at least once for each gateway with
 * calls on it. A threshold is passed if it is in (`before`, `percent`].
 */
export interface BudgetObserver {
  onBudgetUse(use: BudgetUse): void;
}

interface BudgetWatchDeps {
  readonly ledger: Pick<Ledger, "findAccounts">;
  readonly clock: Clock;
  readonly onError: (cause: unknown) => void;
}

/** A watched account, with the budget of its period. */
interface Watched {
  readonly id: AccountId;
  readonly budget: Budget | undefined;
}

const MAX_WATCHED = 10_000;
const MAX_AT_ONCE = 1_000;

/**
 * Follows the accounts of admitted calls until their calls are settled. It reads them in a batch,
 * beside the calls, so that admission does nothing but name its key.
 */
export class BudgetWatch {
  readonly #deps: BudgetWatchDeps;
  readonly #observers: BudgetObserver[] = [];
  #keys = new Set<ApiKey>();
  readonly #watched = new Map<AccountId, Watched>();
  /** Last reported percent by account and bound, the oldest first. */
  readonly #reported = new Map<string, number>();
  /** Accounts that reached their warning amount, the longest unread first. */
  readonly #warned = new Set<AccountId>();

  constructor(deps: BudgetWatchDeps) {
    this.#deps = deps;
  }

  add(observer: BudgetObserver): void {
    this.#observers.push(observer);
  }

  /** A call of the key was admitted. */
  note(key: ApiKey): void {
    if (this.#keys.size < MAX_WATCHED) this.#keys.add(key);
  }

  /** Budgets of the key that reached their warning amount, as of the last check. */
  warningsOf({ budgets }: ApiKey, at: number): readonly Budget[] {
    const isNone = budgets === undefined || this.#warned.size === 0;
    return isNone ? NO_WARNINGS : this.#warnedAmong(budgets, at);
  }

  #warnedAmong(budgets: readonly Budget[], at: number): readonly Budget[] {
    return periodAccounts(budgets, at)
      .filter(({ id, budget }) => budget.warn !== undefined && this.#warned.has(id))
      .map(({ budget }) => budget);
  }

  /** Reads at most 1,000 accounts, and reports those with a grown percentage. */
  async check(): Promise<void> {
    const now = this.#deps.clock.now();
    this.#collect(now);
    const batch = [...this.#watched.values()].slice(0, MAX_AT_ONCE);
    if (batch.length === 0) return;
    const accounts = await this.#deps.ledger.findAccounts(batch.map(({ id }) => id));
    for (const watched of batch) {
      const account = accounts.get(watched.id);
      this.#watched.delete(watched.id);
      if (account === undefined) continue;
      this.#look(watched, account, now);
      // Behind the others, because its calls are still running.
      if (account.held > 0) this.#watch(watched);
    }
  }

  #collect(now: number): void {
    const keys = this.#keys;
    this.#keys = new Set();
    for (const { accounts, budgets = [] } of keys) {
      for (const id of accounts) this.#watch({ id, budget: undefined });
      for (const { id, budget } of periodAccounts(budgets, now)) this.#watch({ id, budget });
    }
  }

  #watch(watched: Watched): void {
    if (this.#watched.size < MAX_WATCHED) this.#watched.set(watched.id, watched);
  }

  #look({ id, budget }: Watched, account: Account, now: number): void {
    const { spent } = account;
    const limit = limitOf(account, now);
    const warn = budget?.warn;
    if (warn !== undefined && spent >= warn) this.#warn(id);
    else this.#warned.delete(id);

    const [owner] = id.split("@") as [OwnerId];
    const resetsAt = budget === undefined ? null : scheduleIn(budget).spanAt(now).endsAt;
    const common = { account: id, owner, period: budget?.period ?? "total", spent } as const;
    if (limit !== null) this.#report({ ...common, bound: "limit", amount: limit, resetsAt });
    if (warn !== undefined) this.#report({ ...common, bound: "warning", amount: warn, resetsAt });
  }

  #warn(id: AccountId): void {
    this.#warned.delete(id);
    makeRoom(this.#warned);
    this.#warned.add(id);
  }

  #report(use: Omit<BudgetUse, "percent" | "before">): void {
    const name = `${use.account} ${use.bound}`;
    const before = this.#reported.get(name) ?? 0;
    const percent = percentOf(use.spent, use.amount);
    this.#remember(name, percent);
    if (percent <= before) return;
    for (const observer of this.#observers) {
      try {
        observer.onBudgetUse({ ...use, percent, before });
      } catch (cause) {
        this.#deps.onError(cause);
      }
    }
  }

  /** A raised limit lowers the percentage, so that it can be reached again. */
  #remember(name: string, percent: number): void {
    this.#reported.delete(name);
    makeRoom(this.#reported);
    this.#reported.set(name, percent);
  }
}

/** Removes the oldest one if there are too many for another. */
function makeRoom<K>(kept: Pick<Map<K, unknown>, "size" | "keys" | "delete">): void {
  if (kept.size < MAX_WATCHED) return;
  for (const oldest of kept.keys()) {
    kept.delete(oldest);
    break;
  }
}

const NO_WARNINGS: readonly Budget[] = [];

function percentOf(spent: number, amount: number): number {
  if (amount === 0) return 100;
  return Math.floor((spent / amount) * 100);
}
