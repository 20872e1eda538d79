import type { ImportedKind, ImportStores, PlannedImport } from "#core/import.ts";
import type { NanoUsd } from "#core/money.ts";
import type { AccountId, OwnerId } from "#core/key.ts";
import type { ImportedBudget } from "#core/import.ts";

/** The results of earlier steps, and the stores. */
export interface Running {
  readonly stores: ImportStores;
  /** The object here that another gateway's object became: an id, or a name. */
  target(kind: ImportedKind, ref: string): string;
  idOf(kind: ImportedKind, ref: string): number;
  /** For the ledger. */
  readonly note: string;
  carry(id: AccountId, spent: NanoUsd | undefined): Promise<void>;
  /** Carries the amounts spent in the current periods of budgets. */
  carryBudgets(owner: OwnerId, budgets: readonly ImportedBudget[]): Promise<void>;
}

export interface Step {
  readonly item: PlannedImport;
  /** The ref under which the object is remembered. */
  readonly memory: string;
  /** Creates the object; returns its id here, or its name. */
  make?(running: Running): Promise<string>;
}

export interface Steps {
  readonly source: string;
  readonly planned: readonly Step[];
  /** Targets of objects of earlier imports, by kind and ref. */
  readonly known: ReadonlyMap<string, string>;
}

export function keyFor(kind: ImportedKind, ref: string): string {
  return `${kind} ${ref}`;
}
