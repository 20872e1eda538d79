import type { CallRecord, CallTags } from "./call.ts";
import type { AccountId, Budget } from "./key.ts";
import { MOST_USD, nanoUsd, type NanoUsd } from "./money.ts";

/** What somebody may spend, has spent, and has reserved; the sums of its ledger entries. */
export interface Account {
  readonly id: AccountId;
  /** `null` has no bound. */
  readonly granted: NanoUsd | null;
  readonly spent: NanoUsd;
  readonly held: NanoUsd;
}

/** A reservation for one call, on every account it draws on. */
export interface HoldRequest {
  readonly callId: string;
  readonly accounts: readonly AccountId[];
  /** It also draws on their accounts of the period in which it is admitted. */
  readonly budgets?: readonly Budget[];
  readonly amount: NanoUsd;
  readonly openedAt: number;
  /**
   * Nothing of the answer leaves before the hold is closed, so a crash leaves
   * nothing owed: the hold need not reach the disk where one process admits.
   */
  readonly isProvisional?: true;
  /** It belongs to a task, which outlives the process that took it on: whoever goes on with that closes it. */
  readonly isLasting?: true;
  /** What recovery needs to write the call's record, should this process not live to. */
  readonly context: HoldContext;
}

export interface HoldContext {
  readonly userId: number;
  readonly keyId: number;
  readonly model: string;
  readonly style: string;
  readonly isStream?: boolean;
  readonly tags?: CallTags;
  /** Of a stream, as it would be if it ended at its last checkpoint. */
  readonly record?: CallRecord;
}

/** A hold that nobody closed: its process died, or it is still running. Its accounts are all it draws on. */
export interface OpenHold extends Omit<HoldRequest, "budgets"> {
  /** What had been delivered when it was last looked at. */
  readonly checkpoint: NanoUsd | null;
  readonly instance: string;
}

/**
 * Where money is kept: an append-only ledger of holds, settlements, voids and
 * grants, whose sums are the accounts. Every operation is idempotent: a hold
 * is closed once, by whoever comes first.
 */
export interface Ledger {
  /**
   * Throws `out_of_quota` when an account cannot bear it, `unavailable` when
   * the database cannot take it. `durable` settles once it is on disk, or at
   * once where the hold is provisional and is decided in memory.
   */
  hold(request: HoldRequest): Promise<{ readonly durable: Promise<void> }>;
  /** Reserves more for a running call. False when an account cannot bear it. */
  extend(callId: string, amount: NanoUsd): Promise<boolean>;
  /** Notes what a running call has delivered, for recovery. Lost without harm. `context`: in place of the hold's. */
  checkpoint(callId: string, delivered: NanoUsd, context?: HoldContext): void;
  /**
   * Takes what is owed, releases the rest and writes the call's record, in one
   * transaction. Resolves once on disk: true when this call closed the hold.
   */
  settle(callId: string, cost: NanoUsd, record: CallRecord): Promise<boolean>;
  /** Releases the hold and takes nothing. */
  void(callId: string, record: CallRecord): Promise<boolean>;
  /** Changes what an account may spend; `null` takes the bound away. */
  grant(id: AccountId, granted: NanoUsd | null, note: string): Promise<void>;
  findAccount(id: AccountId): Promise<Account | undefined>;
  /** Holds of processes that no longer live. */
  listAbandoned(): Promise<readonly OpenHold[]>;
}

/** An account of a period, as it will be once a call draws on it. */
export function unopenedAccount(id: AccountId, { amount }: Budget): Account {
  return { id, granted: amount, spent: nanoUsd(0), held: nanoUsd(0) };
}

/** Without a bound, as much as can be counted at once. */
export function availableIn({ granted, spent, held }: Account): number {
  return (granted === null ? MOST_USD : granted - spent) - held;
}

/** The first that does not bear so much: there the call is refused. */
export function findShort(
  ids: readonly AccountId[],
  find: (id: AccountId) => Account | undefined,
  amount: NanoUsd,
): AccountId | undefined {
  return ids.find((id) => {
    const account = find(id);
    return account === undefined || availableIn(account) < amount;
  });
}

/** A call that costs nothing is admitted as long as nothing is owed. */
export function canHold(accounts: readonly Account[], amount: NanoUsd): boolean {
  return accounts.every((account) => availableIn(account) >= amount);
}
