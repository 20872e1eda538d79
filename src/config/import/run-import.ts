import { budgetsIn, periodAccounts, type BudgetChange } from "#core/budget.ts";
import { GatewayError } from "#core/error.ts";
import type { ImportedBudget, ImportStores } from "#core/import.ts";
import type { OwnerId } from "#core/key.ts";
import type { Clock } from "#lib/clock.ts";
import { defined } from "#lib/values.ts";
import { quote } from "../mistakes.ts";
import { keyFor, type Running, type Step, type Steps } from "./steps.ts";

/** Runs all steps in their order. An error of one ends the import. */
export async function runImport(
  { source, planned, known }: Steps,
  stores: ImportStores,
  note: string,
  clock: Pick<Clock, "now">,
): Promise<void> {
  const targets = new Map(known);
  const running: Running = {
    stores,
    note,
    target(kind, ref) {
      const target = targets.get(keyFor(kind, ref));
      if (target === undefined) throw new Error(`The plan has no ${kind} '${ref}'.`);
      return target;
    },
    idOf: (kind, ref) => Number(running.target(kind, ref)),
    async carry(id, spent) {
      if (spent !== undefined && spent > 0) await stores.carry(id, spent, null, note);
    },
    async carryBudgets(owner, budgets) {
      for (const { spent, ...budget } of budgets) {
        if (spent === undefined || spent === 0) continue;
        for (const account of accountsOf(owner, budget, clock.now())) {
          await stores.carry(account, spent, budget.amount ?? null, note);
        }
      }
    },
  };
  for (const step of planned) {
    const target = await make(step, running);
    if (target === undefined) continue;
    const { kind, ref } = step.item;
    targets.set(keyFor(kind, ref), target);
    await stores.imported.add(source, { kind, ref: step.memory, target });
  }
}

async function make({ item, make: create }: Step, running: Running): Promise<string | undefined> {
  try {
    return await create?.(running);
  } catch (cause) {
    const { code, message, fault } = GatewayError.from(cause);
    if (fault.blame !== "client") throw cause;
    throw new GatewayError(
      code,
      `Nothing was imported: ${item.kind}, ${quote(item.name)}: ${message}`,
      { cause },
    );
  }
}

export function budgetChange(budgets: readonly ImportedBudget[]): BudgetChange {
  return Object.fromEntries(
    budgets.map(({ period, amount, warn }) => [
      period,
      { amount: amount ?? null, ...defined({ warn }) },
    ]),
  );
}

function accountsOf(owner: OwnerId, { period, amount }: ImportedBudget, at: number) {
  const budgets = budgetsIn(owner, { [period]: { amount: amount ?? null } });
  return periodAccounts(budgets, at).map(({ id }) => id);
}
