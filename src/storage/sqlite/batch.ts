import type { AccountId } from "#core/key.ts";
import type { Write } from "../accounts/group-commit.ts";
import type { Values } from "../tables/columns.ts";
import type { StatementName } from "./statements.ts";
import type { Batch } from "./writer.ts";

/** A write that produces its rows when its transaction starts. */
export interface SqliteWrite extends Write {
  encode(batch: BatchBuilder): void;
}

export interface BatchBuilder {
  row(statement: StatementName, values: Values): void;
  open(callId: string, values: Values): void;
  /** A hold opened in the same transaction need not be written. */
  release(callId: string): void;
  move(accounts: readonly AccountId[], held: number, spent: number): void;
}

/** The rows of one transaction; an account that many calls change is updated once. */
export function encodeBatch(writes: readonly SqliteWrite[]): Batch {
  const batch: Partial<Record<StatementName, Values[]>> = {};
  const opened = new Map<string, Values>();
  const moves = new Map<AccountId, { held: number; spent: number }>();
  const builder: BatchBuilder = {
    row(statement, values) {
      (batch[statement] ??= []).push(values);
    },
    open(callId, values) {
      opened.set(callId, values);
    },
    release(callId) {
      if (!opened.delete(callId)) builder.row("release", [callId]);
    },
    move(accounts, held, spent) {
      for (const id of accounts) {
        const move = moves.get(id);
        if (move === undefined) {
          moves.set(id, { held, spent });
        } else {
          move.held += held;
          move.spent += spent;
        }
      }
    },
  };

  for (const write of writes) write.encode(builder);
  for (const values of opened.values()) builder.row("hold", values);
  for (const [id, { held, spent }] of moves) builder.row("balance", [held, spent, id]);
  return batch;
}
