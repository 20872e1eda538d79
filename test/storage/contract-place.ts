import type { Kysely } from "kysely";
import type { CallRecord } from "#core/call.ts";
import type { AccountId, ApiKey } from "#core/key.ts";
import type { HoldRequest } from "#core/ledger.ts";
import { nanoUsd } from "#core/money.ts";
import type { Task } from "#core/task.ts";
import { NO_USAGE } from "#core/usage.ts";
import { systemClock, type Clock } from "#lib/clock.ts";
import { ulid } from "#lib/ids.ts";
import { aTask as anyTask } from "#test/a-task.ts";
import { LOW_PASSWORD_COST } from "#test/password-cost.ts";
import type { StorageLimits } from "#storage/limits.ts";
import type { Ddl } from "#storage/migrations/ddl.ts";
import { openStorage, type Storage } from "#storage/open.ts";
import type { Tables } from "#storage/tables.ts";

/** What a storage is opened with, apart from the process that opens it. */
export interface Address {
  readonly dataDir: string;
  readonly databaseUrl?: string;
}

/** An empty database for one test. */
export interface Place extends AsyncDisposable {
  readonly address: Address;
  readonly ddl: Ddl;
  /** A connection beside the gateway's, to look and to tamper. */
  tamper(): Promise<Kysely<Tables>>;
  /** Keeps every gateway from writing, until it is disposed. */
  lock(): Promise<AsyncDisposable>;
}

export const PEPPER = new Uint8Array(32).fill(7);

export interface OpenOptions {
  readonly instance?: string;
  readonly clock?: Clock;
  readonly pepper?: Uint8Array;
  readonly limits?: Partial<StorageLimits>;
  readonly onError?: (cause: unknown) => void;
  readonly onFatal?: (cause: unknown) => void;
}

export async function openAt(address: Address, options: OpenOptions = {}): Promise<Storage> {
  return openStorage({
    ...address,
    instance: `test-${ulid(Date.now())}`,
    clock: systemClock,
    pepper: PEPPER,
    passwordCost: LOW_PASSWORD_COST,
    onError: () => {},
    ...options,
  });
}

/** The root user and a capped key: the accounts that most tests draw on. */
export async function withKey(storage: Storage, quota?: number): Promise<readonly AccountId[]> {
  const { id: userId } = await storage.users.ensureRoot();
  const { key } = await storage.keys.create({
    userId,
    name: newId(),
    models: ["*"],
    ...(quota === undefined ? {} : { quota: nanoUsd(quota) }),
  });
  return key.accounts;
}

/** One of the root user's keys, with budgets that bound nothing of what a test does. */
export async function withGenerousBudgets(storage: Storage): Promise<ApiKey> {
  const { id: userId } = await storage.users.ensureRoot();
  const budgets = { day: nanoUsd(1e12), month: nanoUsd(1e12) };
  return (await storage.keys.create({ userId, name: newId(), models: ["*"], budgets })).key;
}

export function newId(): string {
  return ulid(Date.now());
}

export function holdFor(
  accounts: readonly AccountId[],
  amount: number,
  callId = newId(),
): HoldRequest {
  return {
    callId,
    accounts,
    amount: nanoUsd(amount),
    openedAt: Date.now(),
    context: {
      userId: 1,
      keyId: 1,
      model: "gpt-4o-mini",
      style: "chat",
      tags: { session: "s-1", agent: "a-1", parentAgent: "a-0" },
    },
  };
}

/** A call with this key, under all that it is under. */
export function holdWith(
  { accounts, budgets }: Pick<ApiKey, "accounts" | "budgets">,
  amount: number,
): HoldRequest {
  return { ...holdFor(accounts, amount), ...(budgets === undefined ? {} : { budgets }) };
}

export function recordOf(callId: string, cost = 0): CallRecord {
  return {
    id: callId,
    at: Date.now(),
    userId: 1,
    keyId: 1,
    model: "gpt-4o-mini",
    upstreamModel: null,
    channel: null,
    provider: null,
    style: "chat",
    isStream: false,
    outcome: "completed",
    fault: null,
    usage: NO_USAGE,
    cost: nanoUsd(cost),
    firstByteMs: null,
    durationMs: 1,
    attempts: [],
    lost: [],
  };
}

/** As if the others had not been seen for long, where a sign of life counts. */
export async function forgetInstances(storage: Storage): Promise<void> {
  await storage.db.updateTable("instances").set({ seen_at: 0 }).execute();
}

/** Why a promise was broken, looked at from the start, so that it is never unhandled. */
export function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
}

/** One of its own, with what a store could mix up told apart. */
export function aTask(more: Partial<Task> = {}): Task {
  return anyTask({
    id: `task_${newId()}`,
    held: nanoUsd(5),
    lost: ["fps"],
    createdAt: 1,
    deadlineAt: 100,
    dueAt: 2,
    ...more,
  });
}
