import assert from "node:assert";
import type { Kysely } from "kysely";
import { outOfQuota, periodAccounts, type BudgetTerms } from "#core/budget.ts";
import type { CallRecord } from "#core/call.ts";
import type { GatewayError } from "#core/error.ts";
import type { AccountId, Budget } from "#core/key.ts";
import {
  availableIn,
  canHold,
  type Account,
  type CloseListener,
  type HoldRequest,
} from "#core/ledger.ts";
import { nanoUsd, addCost, type NanoUsd } from "#core/money.ts";
import type { Clock } from "#lib/clock.ts";
import { openCheckpoints } from "../accounts/checkpoints.ts";
import type { EngineLedger } from "../database/engine.ts";
import type { Group, Write } from "../accounts/group-commit.ts";
import type { StorageLimits } from "../limits.ts";
import type { Tables } from "../tables.ts";
import {
  accountColumnsOf,
  idsOf,
  toAccountColumns,
  type AccountColumns,
} from "../tables/accounts.ts";
import { writeRaises } from "../tables/budgets.ts";
import type { Values } from "../tables/columns.ts";
import { holdValues, LASTING, toOpenHold } from "../tables/holds.ts";
import { isOrphan } from "../accounts/orphans.ts";
import { callEntry, closingEntry, openingEntry } from "../tables/ledger.ts";
import type { Accounts, LiveAccount } from "./accounts.ts";
import type { BatchBuilder, SqliteWrite } from "./batch.ts";

interface SqliteLedgerDeps {
  readonly db: Kysely<Tables>;
  readonly accounts: Accounts;
  readonly holds: Map<string, LiveHold>;
  readonly group: Group<SqliteWrite>;
  readonly instance: string;
  readonly clock: Clock;
  readonly limits: StorageLimits;
  /** The budget's current terms in the database, which may be newer than the key's copy. */
  readonly findBudget: (budget: Budget) => Pick<BudgetTerms, "amount" | "raises">;
}

/** An open hold in memory. */
interface LiveHold {
  readonly accounts: readonly AccountId[];
  readonly columns: AccountColumns;
  amount: NanoUsd;
  extensions: number;
  /**
   * `provisional`: in memory only, and never written unless it grows.
   * `dropped`: the database refused it and its caller was told. It stays
   * reserved until the caller closes it, and is then written together with the
   * close.
   */
  state: "provisional" | "queued" | "written" | "dropped";
  /** Present until it is written. */
  request: HoldRequest | undefined;
  durable: Promise<void>;
}

const IN_MEMORY = Promise.resolve();

/**
 * The ledger of a gateway that owns its database. Admission is decided in
 * memory at once. The database follows asynchronously, and every admitted call
 * is booked even if a write fails.
 */
export function openSqliteLedger(deps: SqliteLedgerDeps): EngineLedger & { close(): void } {
  const { db, accounts, holds, group, instance, clock } = deps;
  const openAccount = (id: AccountId): LiveAccount => accounts.open(id);
  const checkpoints = openCheckpoints(deps.limits.checkpointMs, (noted) => {
    group.add({
      isRefusable: true,
      encode(batch) {
        for (const [callId, { delivered, context }] of noted)
          batch.row("checkpoint", [delivered, context, callId]);
      },
      done() {},
      refuse() {},
    });
  });

  return {
    hold: async (request) => holdNow(request),
    holdNow,

    async extend(callId, amount) {
      assert(amount >= 0, "A hold can only be extended.");
      const hold = holds.get(callId);
      if (hold === undefined || hold.state === "dropped") return false;

      group.assertOpen();
      const drawn = hold.accounts.map(openAccount);
      if (!canHold(drawn, amount, clock.now())) return false;
      if (hold.state === "provisional") hold.durable = write(callId, hold);
      move(drawn, amount, 0);
      hold.amount = nanoUsd(hold.amount + amount);
      return extend(callId, hold, amount);
    },

    checkpoint(callId, delivered, context) {
      if (holds.has(callId)) checkpoints.note(callId, delivered, context);
    },
    settle: (callId, cost, record) => closed(callId, "settle", cost, record),
    void: (callId, record) => closed(callId, "void", nanoUsd(0), record),
    closeNow,

    async findAccount(id) {
      const account = accounts.find(id);
      return account && copyOf(account);
    },

    async findAccounts(ids) {
      const found = ids.map((id) => accounts.find(id)).filter((account) => account !== undefined);
      return new Map(found.map((account) => [account.id, copyOf(account)]));
    },

    async listAbandoned() {
      const rows = await db
        .selectFrom("holds")
        .selectAll()
        .where("instance", "!=", instance)
        .where((hold) => hold.or([hold("instance", "!=", LASTING), isOrphan(hold, clock.now())]))
        .orderBy("call_id")
        .execute();
      return rows.filter((row) => holds.has(row.call_id)).map(toOpenHold);
    },

    close: () => checkpoints.close(),
  };

  function holdNow(request: HoldRequest): LiveHold {
    const known = holds.get(request.callId);
    if (known !== undefined) return known;

    group.assertOpen();
    return open(request, reserve(request));
  }

  /** Reserves the amount on every account that the call draws on. */
  function reserve({ accounts: ids, budgets, amount }: HoldRequest): readonly AccountId[] {
    assert(amount >= 0, "A hold is never negative.");
    const at = clock.now();
    const all = budgets === undefined ? ids : [...ids, ...openPeriods(budgets, at)];
    for (const id of all) {
      const account = accounts.find(id);
      if (account === undefined || availableIn(account, at) < amount) {
        throw outOfQuota(id, budgets, at);
      }
    }
    for (const id of all) moveOne(accounts.open(id), amount, 0);
    return all;
  }

  /** The accounts of the current periods, created if the call is the first on one. */
  function openPeriods(budgets: readonly Budget[], at: number): AccountId[] {
    return periodAccounts(budgets, at).map(({ id, budget }) => {
      if (accounts.find(id) === undefined) openPeriod(id, deps.findBudget(budget), at);
      return id;
    });
  }

  function openPeriod(
    id: AccountId,
    { amount, raises }: Pick<BudgetTerms, "amount" | "raises">,
    at: number,
  ): void {
    const account = accounts.open(id);
    account.granted = amount;
    account.raises = raises;
    const entry = openingEntry(id, amount, at);
    void written([id], {
      isRefusable: false,
      encode(batch) {
        batch.row("opening", [id, amount, writeRaises(raises)]);
        batch.row("opened", entry);
      },
      // A later call on this account is refused together with it, or queued behind it.
      refused() {},
    });
  }

  function open(request: HoldRequest, drawn: readonly AccountId[]): LiveHold {
    const { callId, amount } = request;
    const columns = toAccountColumns(drawn);
    const hold: LiveHold = {
      accounts: drawn,
      columns,
      amount,
      extensions: 0,
      state: "provisional",
      request,
      durable: IN_MEMORY,
    };
    holds.set(callId, hold);
    if (request.isProvisional !== true) hold.durable = write(callId, hold);
    return hold;
  }

  function write(callId: string, hold: LiveHold): Promise<void> {
    const { accounts: drawn, columns, request } = hold;
    assert(request !== undefined, "A hold is written once.");
    const { amount } = request;
    const row = holdValues(request, columns, instance);
    const entry = entryOf(request, columns);
    hold.state = "queued";
    return written(drawn, {
      isRefusable: true,
      encode(batch) {
        batch.open(callId, row);
        batch.row("entry", entry);
        batch.move(drawn, amount, 0);
      },
      done() {
        hold.state = "written";
        hold.request = undefined;
      },
      refused() {
        hold.state = "dropped";
      },
    });
  }

  async function extend(callId: string, hold: LiveHold, amount: NanoUsd): Promise<boolean> {
    hold.extensions++;
    const entry = callEntry(
      callId,
      `extend:${hold.extensions}`,
      hold.columns,
      amount,
      0,
      clock.now(),
    );
    const row = [amount, hold.extensions, callId];
    await written(hold.accounts, {
      isRefusable: true,
      encode(batch) {
        batch.row("extension", row);
        batch.row("entry", entry);
        batch.move(hold.accounts, amount, 0);
      },
      refused() {
        hold.amount = nanoUsd(hold.amount - amount);
        // If the hold was closed meanwhile, the close has already released its amount.
        if (holds.get(callId) === hold) moveAll(hold.accounts, -amount, 0);
      },
    });
    return true;
  }

  /** False if the hold is not open. */
  function closeNow(
    callId: string,
    kind: "settle" | "void",
    cost: NanoUsd,
    record: CallRecord,
    listener: CloseListener,
  ): boolean {
    if (cost < 0) {
      listener.onClosed(new RangeError("A cost is never negative."));
      return true;
    }
    const hold = holds.get(callId);
    if (hold === undefined) {
      listener.onClosed();
      return false;
    }
    holds.delete(callId);
    checkpoints.forget(callId);
    const touched = touch(hold.accounts);
    move(touched, -hold.amount, cost);
    const close = { callId, kind, cost, record, at: clock.now() };
    group.add(new Closing(touched, hold, close, listener, reopen));
    return true;
  }

  function closed(
    callId: string,
    kind: "settle" | "void",
    cost: NanoUsd,
    record: CallRecord,
  ): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    promise.catch(() => {});
    const isOpen = closeNow(callId, kind, cost, record, {
      onClosed: (cause) => (cause === undefined ? resolve(true) : reject(cause)),
    });
    return isOpen ? promise : NOT_CLOSED;
  }

  /** The database refused the close. */
  function reopen(hold: LiveHold, { callId, cost }: Close): void {
    moveAll(hold.accounts, 0, -cost);
    if (hold.state !== "written") return;
    holds.set(callId, hold);
    moveAll(hold.accounts, hold.amount, 0);
  }

  function written(ids: readonly AccountId[], write: AccountWrite): Promise<void> {
    const queued = new Queued(touch(ids), write);
    group.add(queued);
    return queued.promise;
  }

  /** The accounts of a write, which are behind in the database until it is done. */
  function touch(ids: readonly AccountId[]): readonly LiveAccount[] {
    const touched: LiveAccount[] = [];
    for (const id of ids) {
      const account = accounts.open(id);
      account.queued++;
      touched.push(account);
    }
    return touched;
  }

  function moveAll(ids: readonly AccountId[], held: number, spent: number): void {
    move(ids.map(openAccount), held, spent);
  }
}

const NOT_CLOSED = Promise.resolve(false);

interface AccountWrite extends Pick<Write, "isRefusable"> {
  encode(batch: BatchBuilder): void;
  done?(): void;
  /** Reverts the changes in memory. */
  refused(): void;
}

/** A write in the queue. Until it is done, the database is behind on its accounts. */
class Queued implements SqliteWrite {
  readonly #touched: readonly LiveAccount[];
  readonly #write: AccountWrite;
  readonly #written = Promise.withResolvers<void>();

  constructor(touched: readonly LiveAccount[], write: AccountWrite) {
    this.#touched = touched;
    this.#write = write;
  }

  /** Settles with its transaction, and may be ignored. */
  get promise(): Promise<void> {
    return this.#written.promise;
  }

  get isRefusable(): boolean {
    return this.#write.isRefusable;
  }

  encode(batch: BatchBuilder): void {
    this.#write.encode(batch);
  }

  done(): void {
    leaveQueue(this.#touched);
    this.#write.done?.();
    this.#written.resolve();
  }

  refuse(cause: GatewayError): void {
    leaveQueue(this.#touched);
    this.#write.refused();
    this.#written.promise.catch(() => {});
    this.#written.reject(cause);
  }
}

function leaveQueue(touched: readonly LiveAccount[]): void {
  for (const account of touched) account.queued--;
}

/** How a hold is closed. */
interface Close {
  readonly callId: string;
  readonly kind: "settle" | "void";
  readonly cost: NanoUsd;
  readonly record: CallRecord;
  readonly at: number;
}

/** The close of a hold, which every call has. */
class Closing implements SqliteWrite {
  readonly isRefusable = false;
  readonly #touched: readonly LiveAccount[];
  readonly #hold: LiveHold;
  readonly #close: Close;
  readonly #listener: CloseListener;
  readonly #reopen: (hold: LiveHold, close: Close) => void;

  constructor(
    touched: readonly LiveAccount[],
    hold: LiveHold,
    close: Close,
    listener: CloseListener,
    reopen: (hold: LiveHold, close: Close) => void,
  ) {
    this.#touched = touched;
    this.#hold = hold;
    this.#close = close;
    this.#listener = listener;
    this.#reopen = reopen;
  }

  encode(batch: BatchBuilder): void {
    const { accounts, columns, amount, state, request } = this.#hold;
    const { callId, kind, cost, record, at } = this.#close;
    // A hold that was never on disk has nothing to release there.
    const released = state === "provisional" ? 0 : amount;
    if (state === "dropped") {
      if (request !== undefined) batch.row("entry", entryOf(request, columns));
      batch.move(accounts, amount, 0);
    } else if (state !== "provisional") {
      batch.release(callId);
    }
    batch.row("entry", closingEntry(callId, kind, columns, -released, cost, at));
    batch.record(record);
    batch.move(accounts, -released, cost);
  }

  done(): void {
    leaveQueue(this.#touched);
    this.#listener.onClosed();
  }

  refuse(cause: GatewayError): void {
    leaveQueue(this.#touched);
    this.#reopen(this.#hold, this.#close);
    this.#listener.onClosed(cause);
  }
}

function entryOf({ callId, amount, openedAt }: HoldRequest, columns: AccountColumns): Values {
  return callEntry(callId, "hold", columns, amount, 0, openedAt);
}

function copyOf({ id, granted, spent, held, raises }: LiveAccount): Account {
  return { id, granted, spent, held, ...(raises === undefined ? {} : { raises }) };
}

function move(touched: readonly LiveAccount[], held: number, spent: number): void {
  for (const account of touched) moveOne(account, held, spent);
}

function moveOne(account: LiveAccount, held: number, spent: number): void {
  account.held = nanoUsd(account.held + held);
  account.spent = addCost(account.spent, spent);
}

/** Holds that earlier gateway processes left open. */
export async function loadHolds(db: Kysely<Tables>): Promise<Map<string, LiveHold>> {
  const rows = await db.selectFrom("holds").selectAll().execute();
  return new Map(
    rows.map((row) => {
      const columns = accountColumnsOf(row);
      const hold: LiveHold = {
        accounts: idsOf(columns),
        columns,
        amount: nanoUsd(row.amount),
        extensions: row.extensions,
        state: "written",
        request: undefined,
        durable: IN_MEMORY,
      };
      return [row.call_id, hold];
    }),
  );
}
