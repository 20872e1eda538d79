import type { AccountId } from "#core/key.ts";
import { idsOf, type AccountColumns } from "../tables/accounts.ts";
import { callValues } from "../tables/calls.ts";
import { whole } from "../tables/columns.ts";
import { LASTING } from "../tables/holds.ts";
import { ArrayColumns } from "./array-columns.ts";
import { batchStatement, WIDTHS, type BatchStatement } from "./batch-statement.ts";
import type { CloseOperation, HoldOperation, Operation, PostgresWrite } from "./operation.ts";

interface EncodedBatch {
  readonly statement: BatchStatement;
  readonly parameters: string[];
  /** Sets the outcomes of the writes once the statement has been committed. */
  succeed(): void;
}

/**
 * Encodes the usual batch for one statement: every hold fits its accounts, and
 * this process opened every hold that is closed. Undefined for a batch that has
 * to be decided write by write.
 */
export function encodeBatch(
  writes: readonly PostgresWrite[],
  instance: string,
): EncodedBatch | undefined {
  const batch = new Batch(instance);
  for (const write of writes) {
    if (write.wasTried || !batch.add(write.operation)) return undefined;
  }
  return batch.finish(writes);
}

/** The change of one account by a batch. */
interface Move {
  /** The sum of the holds, which must be available; null if only holds are closed. */
  need: number | null;
  held: number;
  spent: number;
}

class Batch {
  readonly #instance: string;
  readonly #moves = new Map<AccountId, Move>();
  readonly #callIds = new Set<string>();
  readonly #refused = new Set<Operation>();
  readonly #holds = new ArrayColumns(WIDTHS.holds);
  readonly #closes = new ArrayColumns(WIDTHS.closes);
  readonly #calls = new ArrayColumns(WIDTHS.calls);
  readonly #checkpoints = new ArrayColumns(WIDTHS.checkpoints);

  constructor(instance: string) {
    this.#instance = instance;
  }

  /** False if the operation needs a decision of its own. */
  add(operation: Operation): boolean {
    switch (operation.type) {
      case "hold":
        return this.#hold(operation);
      case "close":
        return this.#close(operation);
      case "record":
        this.#calls.add(callValues(operation.record));
        return true;
      case "checkpoints":
        for (const [callId, { delivered, context }] of operation.noted) {
          this.#checkpoints.add([callId, delivered, context]);
        }
        return true;
      case "correct":
      case "extend":
      case "probe":
        return false;
    }
  }

  finish(writes: readonly PostgresWrite[]): EncodedBatch {
    const parameters: string[] = [];
    if (this.#holds.rows + this.#closes.rows > 0) this.#encodeMoves().addTo(parameters);
    const parts = [this.#holds, this.#closes, this.#calls, this.#checkpoints];
    for (const part of parts) if (part.rows > 0) part.addTo(parameters);
    return {
      statement: batchStatement({
        hasHolds: this.#holds.rows > 0,
        hasCloses: this.#closes.rows > 0,
        hasCalls: this.#calls.rows > 0,
        hasCheckpoints: this.#checkpoints.rows > 0,
      }),
      parameters,
      succeed: () => {
        for (const write of writes) write.outcome = !this.#refused.has(write.operation);
      },
    };
  }

  #hold(operation: HoldOperation): boolean {
    const { request, columns } = operation;
    if (operation.isAbandoned === true) {
      this.#refused.add(operation);
      return true;
    }
    const { callId, amount } = request;
    if (!this.#isFirst(callId)) return false;
    this.#move(columns, amount, amount, 0);
    this.#holds.add([
      callId,
      columns.user,
      columns.key,
      columns.more,
      amount,
      JSON.stringify(request.context),
      request.isLasting === true ? LASTING : this.#instance,
      whole(request.openedAt),
    ]);
    return true;
  }

  #close({ callId, kind, cost, at, record, hold }: CloseOperation): boolean {
    if (hold === undefined || !this.#isFirst(callId)) return false;
    const { columns, amount } = hold;
    this.#move(columns, null, -amount, cost);
    const { user, key, more } = columns;
    this.#closes.add([callId, user, key, more, amount, kind, cost, whole(at)]);
    if (record !== null) this.#calls.add(callValues(record));
    return true;
  }

  /** Two operations on one hold depend on each other's result. */
  #isFirst(callId: string): boolean {
    const { size } = this.#callIds;
    return this.#callIds.add(callId).size > size;
  }

  #move(columns: AccountColumns, need: number | null, held: number, spent: number): void {
    for (const id of idsOf(columns)) {
      const move = this.#moves.get(id);
      if (move === undefined) {
        this.#moves.set(id, { need, held, spent });
        continue;
      }
      if (need !== null) move.need = (move.need ?? 0) + need;
      move.held += held;
      move.spent += spent;
    }
  }

  #encodeMoves(): ArrayColumns {
    const moves = new ArrayColumns(WIDTHS.moves);
    for (const [id, { need, held, spent }] of this.#moves) moves.add([id, need, held, spent]);
    return moves;
  }
}
