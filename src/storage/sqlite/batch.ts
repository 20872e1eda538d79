import type { CallRecord } from "#core/call.ts";
import type { AccountId } from "#core/key.ts";
import type { Write } from "../accounts/group-commit.ts";
import { callValues, usualCallValues } from "../tables/calls.ts";
import type { Values } from "../tables/columns.ts";
import type { StatementName } from "./statements.ts";
import type { Batch } from "./writer.ts";

/** A write that produces its rows when its transaction starts. */
export interface SqliteWrite extends Write {
  encode(batch: BatchBuilder): void;
}

export interface BatchBuilder {
  row(statement: StatementName, values: Values): void;
  record(record: CallRecord): void;
  open(callId: string, values: Values): void;
  /** A hold opened in the same transaction need not be written. */
  release(callId: string): void;
  move(accounts: readonly AccountId[], held: number, spent: number): void;
}

/** The rows of one transaction; an account that many calls change is updated once. */
export function encodeBatch(writes: readonly SqliteWrite[]): Batch {
  const builder = new Builder();
  for (const write of writes) write.encode(builder);
  return builder.finish();
}

class Builder implements BatchBuilder {
  readonly #batch: Partial<Record<StatementName, Values[]>> = {};
  #opened: Map<string, Values> | undefined;
  readonly #moves = new Map<AccountId, [held: number, spent: number, id: AccountId]>();

  row(statement: StatementName, values: Values): void {
    const rows = this.#batch[statement];
    if (rows === undefined) this.#batch[statement] = [values];
    else rows.push(values);
  }

  record(record: CallRecord): void {
    this.row("record", usualCallValues(record) ?? callValues(record));
  }

  open(callId: string, values: Values): void {
    this.#opened ??= new Map();
    this.#opened.set(callId, values);
  }

  release(callId: string): void {
    if (this.#opened?.delete(callId) !== true) this.row("release", [callId]);
  }

  move(accounts: readonly AccountId[], held: number, spent: number): void {
    for (const id of accounts) {
      const move = this.#moves.get(id);
      if (move === undefined) {
        this.#moves.set(id, [held, spent, id]);
      } else {
        move[0] += held;
        move[1] += spent;
      }
    }
  }

  finish(): Batch {
    if (this.#opened !== undefined) {
      for (const values of this.#opened.values()) this.row("hold", values);
    }
    for (const values of this.#moves.values()) this.row("balance", values);
    return this.#batch;
  }
}
