import type { OwnerId } from "#core/key.ts";
import type { NanoUsd } from "#core/money.ts";

/** The amount that an owner may spend in a period; `null` means unlimited. */
export interface BudgetsTable {
  owner: OwnerId;
  day: NanoUsd | null;
  month: NanoUsd | null;
}
