import type { AccountId } from "#core/key.ts";
import { findUnderfunded } from "#core/ledger.ts";
import { nanoUsd, addCost, type NanoUsd } from "#core/money.ts";
import type { Tables } from "../tables.ts";
import { accountColumnsOf, idsOf, toAccount, type AccountColumns } from "../tables/accounts.ts";
import { callValues } from "../tables/calls.ts";
import type { Values } from "../tables/columns.ts";
import { holdValues, LASTING } from "../tables/holds.ts";
import { callEntry, openingEntry } from "../tables/ledger.ts";
import type {
  CloseOperation,
  ExtendOperation,
  HoldOperation,
  Operation,
  PostgresWrite,
} from "./operation.ts";
import type { OpenedAccount, StoredEntry, StoredHold } from "./statements.ts";

/** The rows that a transaction has locked and read. */
interface Locked {
  readonly accounts: readonly Tables["accounts"][];
  readonly holds: readonly StoredHold[];
  /** Accounts that this transaction opened, with their limits. */
  readonly opened: readonly OpenedAccount[];
  /** Our own closes that an earlier transaction may have committed. */
  readonly entries: readonly StoredEntry[];
}

/** The rows that the transaction has to write. */
export interface Changes {
  readonly accounts: readonly Values[];
  readonly entries: readonly Values[];
  readonly holds: readonly Values[];
  readonly extended: readonly Values[];
  readonly closed: readonly string[];
  readonly calls: readonly Values[];
  readonly checkpoints: readonly Values[];
  readonly hasProbe: boolean;
}

interface DecideContext {
  readonly instance: string;
  readonly now: number;
}

interface OpenState {
  readonly columns: AccountColumns;
  readonly instance: string;
  /** Values of the row, if this transaction inserts it. */
  readonly row?: Values;
  amount: number;
  extensions: number;
  wasExtended: boolean;
}

/**
 * Decides the operations in their order on the locked rows, sets their outcomes
 * and collects the changes. No I/O, so that it can be repeated if the
 * transaction is retried.
 */
export function decide(
  writes: readonly PostgresWrite[],
  locked: Locked,
  context: DecideContext,
): Changes {
  const accounts = new Map(locked.accounts.map((row) => [row.id, { ...toAccount(row) }]));
  const open = new Map(locked.holds.map((row) => [row.call_id, stateOf(row)]));
  const touched = new Set<AccountId>();
  const closed: string[] = [];
  const entries = locked.opened.map(({ id, granted }) => openingEntry(id, granted, context.now));
  const calls: Values[] = [];
  const checkpoints: Values[] = [];
  let hasProbe = false;

  for (const write of writes) write.outcome = perform(write.operation, write.wasTried);

  const states = [...open];
  return {
    accounts: [...touched].flatMap((id) => {
      const account = accounts.get(id);
      return account ? [[id, account.granted, account.spent, account.held]] : [];
    }),
    entries,
    holds: states.flatMap(([, { row, amount, extensions }]) =>
      row === undefined ? [] : [withExtensions(row, amount, extensions)],
    ),
    extended: states.flatMap(([callId, state]) =>
      state.row === undefined && state.wasExtended
        ? [[callId, state.amount, state.extensions]]
        : [],
    ),
    closed,
    calls,
    checkpoints,
    hasProbe,
  };

  function perform(operation: Operation, wasTried: boolean): boolean {
    switch (operation.type) {
      case "hold":
        return hold(operation);
      case "extend":
        return extend(operation);
      case "close":
        return close(operation, wasTried);
      case "record":
        calls.push(callValues(operation.record));
        return true;
      case "checkpoints":
        for (const [callId, { delivered, context: changed }] of operation.noted) {
          checkpoints.push([callId, delivered, changed]);
        }
        return true;
      case "correct":
        // Done in a transaction of its own before.
        return true;
      case "probe":
        hasProbe = true;
        return true;
    }
  }

  function hold(operation: HoldOperation): boolean {
    const { request, columns, isAbandoned } = operation;
    const { callId, amount, openedAt } = request;
    if (isAbandoned === true) return false;
    const short = reserve(columns, amount);
    if (short !== undefined) {
      operation.short = short;
      return false;
    }
    entries.push(callEntry(callId, "hold", columns, amount, 0, openedAt));
    open.set(callId, {
      columns,
      instance: context.instance,
      row: holdValues(request, columns, context.instance),
      amount,
      extensions: 0,
      wasExtended: false,
    });
    return true;
  }

  function extend({ callId, amount }: ExtendOperation): boolean {
    const state = open.get(callId);
    if (state === undefined || reserve(state.columns, nanoUsd(amount)) !== undefined) return false;
    state.amount += amount;
    state.extensions++;
    state.wasExtended = true;
    const kind = `extend:${state.extensions}` as const;
    entries.push(callEntry(callId, kind, state.columns, amount, 0, context.now));
    return true;
  }

  function close(operation: CloseOperation, wasTried: boolean): boolean {
    const { callId, kind, cost, at, record } = operation;
    const state = open.get(callId);
    if (state === undefined) return wasTried && isOurs(operation);
    if (record === null && !isFrom(state, context.instance)) return false;

    open.delete(callId);
    if (state.row === undefined) closed.push(callId);
    move(state.columns, -state.amount, cost);
    entries.push(callEntry(callId, kind, state.columns, -state.amount, cost, at));
    if (record !== null) calls.push(callValues(record));
    return true;
  }

  /** The close was committed by a transaction with an unknown result. */
  function isOurs({ callId, kind, cost, at }: CloseOperation): boolean {
    return locked.entries.some(
      (entry) =>
        entry.op_id === `${callId}:${kind}` && entry.spent_delta === cost && entry.at === at,
    );
  }

  /** Returns the account that lacks funds, if any. */
  function reserve(columns: AccountColumns, amount: NanoUsd): AccountId | undefined {
    const short = findUnderfunded(idsOf(columns), (id) => accounts.get(id), amount, context.now);
    if (short === undefined) move(columns, amount, 0);
    return short;
  }

  function move(columns: AccountColumns, held: number, spent: number): void {
    for (const id of idsOf(columns)) {
      const account = accounts.get(id);
      if (account === undefined) continue;
      accounts.set(id, {
        ...account,
        held: nanoUsd(account.held + held),
        spent: addCost(account.spent, spent),
      });
      touched.add(id);
    }
  }
}

/** A task's hold belongs to no process, and its id is unique to its task. */
function isFrom({ instance }: OpenState, process: string): boolean {
  return instance === process || instance === LASTING;
}

function stateOf(row: StoredHold): OpenState {
  return {
    columns: accountColumnsOf(row),
    instance: row.instance,
    amount: row.amount,
    extensions: row.extensions,
    wasExtended: false,
  };
}

/** A hold that was created and extended in one transaction. */
function withExtensions(row: Values, amount: number, extensions: number): Values {
  return [...row.slice(0, 3), amount, extensions, ...row.slice(5)];
}
