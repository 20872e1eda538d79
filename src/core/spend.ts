import type { NanoUsd } from "./money.ts";

/** The cost of an owner's calls, with or without a budget. Periods are in UTC. */
export interface Spend {
  readonly day: NanoUsd;
  readonly month: NanoUsd;
}

export interface SpendReports {
  /**
   * Spending of many owners in one query; owners without calls are left out.
   * That of a team is that of its present members. `now`: Unix ms.
   */
  spend(
    by: "key" | "user" | "team",
    ids: readonly number[],
    now: number,
  ): Promise<ReadonlyMap<number, Spend>>;
}
