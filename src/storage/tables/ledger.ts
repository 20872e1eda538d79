import type { AccountId } from "#core/key.ts";
import type { NanoUsd } from "#core/money.ts";
import { toAccountColumns, type AccountColumns } from "./accounts.ts";
import { whole, type Columns, type Values } from "./columns.ts";

/**
 * Every movement of money; rows are never changed or deleted. An account's
 * columns are the sums of its entries' deltas. `bound_delta` is 1 if an entry
 * sets a limit and -1 if it removes it. Its sum is 0 for an unlimited account,
 * in any order.
 */
export interface LedgerTable {
  /** Idempotency key of the operation: `<callId>:settle`, `grant:<ulid>`. */
  op_id: string;
  call_id: string | null;
  kind: EntryKind;
  user_account: AccountId | null;
  key_account: AccountId | null;
  held_delta: NanoUsd;
  spent_delta: NanoUsd;
  granted_delta: NanoUsd;
  bound_delta: number;
  note: string | null;
  at: number;
  /** Further account ids, separated by spaces. */
  more_accounts: string | null;
}

type EntryKind = "hold" | "extend" | "settle" | "void" | "correct" | "grant";

export const LEDGER_COLUMNS: Columns<LedgerTable> = {
  op_id: "text",
  call_id: "text",
  kind: "text",
  user_account: "text",
  key_account: "text",
  held_delta: "bigint",
  spent_delta: "bigint",
  granted_delta: "bigint",
  bound_delta: "bigint",
  note: "text",
  at: "bigint",
  more_accounts: "text",
};

/** An entry for a call: the amounts that it reserves, releases and charges. */
export function callEntry(
  callId: string,
  kind: "hold" | "settle" | "void" | "correct" | `extend:${number}`,
  columns: AccountColumns,
  held: number,
  spent: number,
  at: number,
): Values {
  const name = kind.startsWith("extend") ? "extend" : kind;
  return [
    `${callId}:${kind}`,
    callId,
    name,
    columns.user,
    columns.key,
    held,
    spent,
    0,
    0,
    null,
    whole(at),
    columns.more,
  ];
}

/** An entry that closes a hold without the parts that follow: every call writes one. */
export function closingEntry(
  callId: string,
  kind: "settle" | "void",
  columns: AccountColumns,
  held: number,
  spent: number,
  at: number,
): Values {
  return [callId, kind, columns.user, columns.key, held, spent, whole(at), columns.more];
}

/** The first entry of a period's account. */
export function openingEntry(id: AccountId, granted: NanoUsd | null, at: number): Values {
  const { user, key, more } = toAccountColumns([id]);
  const { grantedDelta, boundDelta } = grantChange(null, granted);
  const deltas = [0, 0, grantedDelta, boundDelta];
  return [openingId(id), null, "grant", user, key, ...deltas, null, whole(at), more];
}

/** An account is opened once, by its first call or by the first change of its limit. */
export function openingId(id: AccountId): string {
  return `open:${id}`;
}

interface GrantChange {
  readonly grantedDelta: number;
  readonly boundDelta: number;
}

export function grantChange(from: NanoUsd | null, to: NanoUsd | null): GrantChange {
  return {
    grantedDelta: (to ?? 0) - (from ?? 0),
    boundDelta: Number(to !== null) - Number(from !== null),
  };
}
