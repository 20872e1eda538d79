import type { OwnerId } from "#core/key.ts";
import type { NanoUsd } from "#core/money.ts";

/** What an owner may spend in a period; `null` for no bound. */
export interface BudgetsTable {
  owner: OwnerId;
  day: NanoUsd | null;
  month: NanoUsd | null;
}
