import type { Selectable } from "kysely";
import { z } from "zod";
import type { CallRecord } from "#core/call.ts";
import { FAMILIES } from "#core/family.ts";
import type { AccountId } from "#core/key.ts";
import type { HoldRequest, OpenHold } from "#core/ledger.ts";
import { nanoUsd, type NanoUsd } from "#core/money.ts";
import { accountColumnsOf, idsOf, type AccountColumns } from "./accounts.ts";
import { whole, type Columns, type Values } from "./columns.ts";

/** Open holds only: closing a hold deletes its row, and the ledger keeps the history. */
export interface HoldsTable {
  call_id: string;
  user_account: AccountId | null;
  key_account: AccountId | null;
  amount: NanoUsd;
  /** Number of extensions; it numbers the ledger's entries. */
  extensions: number;
  checkpoint: NanoUsd | null;
  /** JSON of the `HoldContext`. */
  context: string;
  instance: string;
  opened_at: number;
  /** Further account ids, separated by spaces. */
  more_accounts: string | null;
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
  more_accounts: "text",
};

/** Stands for an instance: such a hold outlives every process. */
export const LASTING = "task";

export function holdValues(
  request: HoldRequest,
  columns: AccountColumns,
  instance: string,
): Values {
  return [
    request.callId,
    columns.user,
    columns.key,
    request.amount,
    0,
    null,
    JSON.stringify(request.context),
    request.isLasting === true ? LASTING : instance,
    whole(request.openedAt),
    columns.more,
  ];
}

export function toOpenHold(row: Selectable<HoldsTable>): OpenHold {
  return {
    callId: row.call_id,
    accounts: idsOf(accountColumnsOf(row)),
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
  endpoint: z.enum(FAMILIES).exactOptional(),
  teamId: z.number().exactOptional(),
  groupId: z.number().exactOptional(),
  isStream: z.boolean().exactOptional(),
  tags: z
    .object({
      session: z.string().exactOptional(),
      agent: z.string().exactOptional(),
      parentAgent: z.string().exactOptional(),
      free: z.array(z.string()).exactOptional(),
    })
    .exactOptional(),
  // Written by this gateway or by another version of it.
  record: z.custom<CallRecord>().exactOptional(),
});
