import type { Selectable } from "kysely";
import { z } from "zod";
import type { AccountId } from "#core/key.ts";
import type { HoldRequest, OpenHold } from "#core/ledger.ts";
import { nanoUsd, type NanoUsd } from "#core/money.ts";
import { idsOf, type AccountPair } from "./accounts.ts";
import { whole, type Columns, type Values } from "./columns.ts";

/** Open holds only: closing one deletes its row, and the ledger keeps what happened. */
export interface HoldsTable {
  call_id: string;
  user_account: AccountId | null;
  key_account: AccountId | null;
  amount: NanoUsd;
  /** How often it was extended: numbers the ledger's entries. */
  extensions: number;
  checkpoint: NanoUsd | null;
  /** JSON of the `HoldContext`. */
  context: string;
  instance: string;
  opened_at: number;
}

export const HOLD_COLUMNS: Columns<HoldsTable> = {
  call_id: "text",
  user_account: "text",
  key_account: "text",
  amount: "bigint",
  extensions: "bigint",
  checkpoint: "bigint",
  context: "text",
  instance: "text",
  opened_at: "bigint",
};

export function holdValues(request: HoldRequest, pair: AccountPair, instance: string): Values {
  return [
    request.callId,
    pair.user,
    pair.key,
    request.amount,
    0,
    null,
    JSON.stringify(request.context),
    instance,
    whole(request.openedAt),
  ];
}

export function toOpenHold(row: Selectable<HoldsTable>): OpenHold {
  return {
    callId: row.call_id,
    accounts: idsOf({ user: row.user_account, key: row.key_account }),
    amount: nanoUsd(row.amount),
    openedAt: row.opened_at,
    context: context.parse(JSON.parse(row.context)),
    checkpoint: row.checkpoint === null ? null : nanoUsd(row.checkpoint),
    instance: row.instance,
  };
}

const context = z.object({
  userId: z.number(),
  keyId: z.number(),
  model: z.string(),
  style: z.string(),
});
