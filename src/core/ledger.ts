import type { CallRecord, CallTags } from "./call.ts";
import type { Family } from "./family.ts";
import type { Raise } from "./budget.ts";
import type { AccountId, Budget } from "./key.ts";
import { MAX_NANO_USD, nanoUsd, type NanoUsd } from "./money.ts";

/**
 * The amounts that an owner may spend, has spent and has reserved: the sums of
 * its ledger entries.
 */
export interface Account {
  readonly id: AccountId;
  /** `null` means unlimited. */
  readonly granted: NanoUsd | null;
  readonly spent: NanoUsd;
  readonly held: NanoUsd;
  /** Temporary raises of the limit, beyond the ledger's grants. */
  readonly raises?: readonly RaisedAmount[] | undefined;
}

export type RaisedAmount = Pick<Raise, "amount" | "until">;

/** A reservation for one call, on every account that the call draws on. */
export interface HoldRequest {
  readonly callId: string;
  readonly accounts: readonly AccountId[];
  /** The call also draws on the accounts of these budgets for the current period. */
  readonly budgets?: readonly Budget[];
  readonly amount: NanoUsd;
  readonly openedAt: number;
  /**
   * No part of the response is sent before the hold is closed, so a crash
   * leaves no debt. The hold therefore need not be on disk if a single process
   * admits calls.
   */
  readonly isProvisional?: true;
  /**
   * The hold belongs to a task that outlives this process. The gateway that
   * continues the task closes the hold.
   */
  readonly isLasting?: true;
  /** The data that recovery needs to write the call's record if this process dies. */
  readonly context: HoldContext;
}

/** Hears of the end of a close, once. */
export interface CloseListener {
  /** `cause`: the reason why it is not on disk; undefined if it is. */
  onClosed(cause?: unknown): void;
}

interface Held {
  readonly durable: Promise<void>;
}

export interface HoldContext {
  readonly userId: number;
  readonly keyId: number;
  readonly model: string;
  readonly style: string;
  readonly endpoint?: Family;
  readonly teamId?: number;
  readonly groupId?: number;
  readonly isStream?: boolean;
  readonly tags?: CallTags;
  /** For a stream: the record as if the stream had ended at its last checkpoint. */
  readonly record?: CallRecord;
}

/**
 * A hold that is not closed: its process died, or it is still running.
 * `accounts` lists all accounts that it draws on.
 */
export interface OpenHold extends Omit<HoldRequest, "budgets"> {
  /** Cost of the output delivered up to the last checkpoint. */
  readonly checkpoint: NanoUsd | null;
  readonly instance: string;
}

/**
 * The store of money: an append-only ledger of holds, settlements, voids and
 * grants. Accounts are its sums. Every operation is idempotent: the first
 * caller closes a hold.
 */
export interface Ledger {
  /**
   * Throws `out_of_quota` if an account lacks funds, `unavailable` if the
   * database cannot store it. `durable` settles once the hold is on disk, or at
   * once if the hold is provisional and decided in memory.
   */
  hold(request: HoldRequest): Promise<Held>;
  /** The same without a wait, if this process decides alone. */
  holdNow?(request: HoldRequest): Held;
  /** Reserves more for a running call. False if an account lacks funds. */
  extend(callId: string, amount: NanoUsd): Promise<boolean>;
  /**
   * Stores the cost delivered so far, for recovery. A lost checkpoint is
   * harmless. `context` replaces the context of the hold.
   */
  checkpoint(callId: string, delivered: NanoUsd, context?: HoldContext): void;
  /**
   * Charges the cost, releases the rest and writes the call's record in one
   * transaction. Resolves once on disk: true if this call closed the hold.
   * If another gateway took the process that opened it for dead and closed it,
   * the call is charged the difference, and this record replaces the other.
   */
  settle(callId: string, cost: NanoUsd, record: CallRecord): Promise<boolean>;
  /** Releases the hold without a charge. */
  void(callId: string, record: CallRecord): Promise<boolean>;
  /** `settle` or `void` without a promise, if this process decides alone. */
  closeNow?(
    callId: string,
    kind: "settle" | "void",
    cost: NanoUsd,
    record: CallRecord,
    listener: CloseListener,
  ): void;
  /** Changes the limit of an account; `null` removes it. */
  grant(id: AccountId, granted: NanoUsd | null, note: string): Promise<void>;
  findAccount(id: AccountId): Promise<Account | undefined>;
  /** Those that exist, in one query. */
  findAccounts(ids: readonly AccountId[]): Promise<ReadonlyMap<AccountId, Account>>;
  /** Holds of dead processes. */
  listAbandoned(): Promise<readonly OpenHold[]>;
}

/** A period's account as it will be after its first call. */
export function unopenedAccount(id: AccountId, { amount, raises }: Budget): Account {
  return { id, granted: amount, spent: nanoUsd(0), held: nanoUsd(0), raises };
}

/** An unlimited account has the largest countable amount. `at`: Unix ms. */
export function availableIn(account: Account, at: number): number {
  const { granted, spent, held, raises } = account;
  if (granted === null) return MAX_NANO_USD - held;
  const limit = raises === undefined ? granted : limitOf(account, at);
  return (limit ?? MAX_NANO_USD) - spent - held;
}

/** With the raises that count at this time; `null` means unlimited. */
export function limitOf({ granted, raises = [] }: Account, at: number): NanoUsd | null {
  if (granted === null) return null;
  const raised = raises.reduce((sum, { amount, until }) => (until > at ? sum + amount : sum), 0);
  return nanoUsd(Math.min(granted + raised, MAX_NANO_USD));
}

/** The first account that lacks funds for this amount: the reason to refuse the call. */
export function findUnderfunded(
  ids: readonly AccountId[],
  find: (id: AccountId) => Account | undefined,
  amount: NanoUsd,
  at: number,
): AccountId | undefined {
  return ids.find((id) => {
    const account = find(id);
    return account === undefined || availableIn(account, at) < amount;
  });
}

/** A free call is admitted as long as the account is not in debt. */
export function canHold(accounts: readonly Account[], amount: NanoUsd, at: number): boolean {
  return accounts.every((account) => availableIn(account, at) >= amount);
}
