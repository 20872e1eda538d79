import type { Kysely } from "kysely";
import type { SpendReports } from "#core/spend.ts";
import type { UsageReports, UsageSums } from "#core/usage-report.ts";
import type { Clock } from "#lib/clock.ts";
import { Semaphore } from "#lib/semaphore.ts";
import type { Engine } from "../database/engine.ts";
import type { Tables } from "../tables.ts";
import { foldHour } from "./fold-usage.ts";
import { createSpendReports } from "./spend.ts";
import { createUsageReports } from "./usage-report.ts";
import { pruneUsage, sumCalls } from "./usage-sums.ts";

const MAX_WAITING = 32;

interface UsageDeps {
  readonly db: Kysely<Tables>;
  readonly engine: Pick<Engine, "findCallsEnd" | "linesOf">;
  readonly clock: Clock;
  readonly maxLabels: number;
}

export function createUsage(deps: UsageDeps): UsageReports & UsageSums & SpendReports {
  const { db, engine, clock, maxLabels } = deps;
  const { linesOf } = engine;
  const turns = new Semaphore(1, MAX_WAITING);

  const findCallsEnd = (): Promise<number | undefined> => engine.findCallsEnd();
  const sumUpTo = (end: number, limit: number): Promise<number> =>
    sumCalls(db, { end, limit, maxLabels, linesOf });
  return {
    ...createUsageReports({ db, linesOf, turns, findCallsEnd, sumUpTo }),
    ...createSpendReports(db),
    async sum(limit) {
      using turn = await turns.enter();
      // Reports that wait add calls to the sums by themselves.
      if (turn === undefined) return 0;
      const end = await findCallsEnd();
      if (end === undefined) return 0;
      const summed = await sumUpTo(end, limit);
      if (summed === 0) while (await foldHour(db, clock.now()));
      return summed;
    },
    prune: (before) => pruneUsage(db, before),
  };
}
