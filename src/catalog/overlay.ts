import type { UpdatedRow } from "#core/catalog-update.ts";
import { textOf } from "#lib/values.ts";
import { type CatalogFile, type KnownModel, parseCatalogFile } from "./catalog-file.ts";

interface Overlaid {
  readonly files: readonly CatalogFile[];
  /** Updated rows that this version cannot read and therefore ignores. */
  readonly unreadable: readonly UpdatedRow[];
}

/**
 * The shipped files with updated rows in place of those with the same id. A row
 * that shipped after the update is newer and stays. New models are appended to
 * their provider's file.
 */
export function overlay(shipped: readonly CatalogFile[], updates: readonly UpdatedRow[]): Overlaid {
  if (updates.length === 0) return { files: shipped, unreadable: [] };
  const unreadable: UpdatedRow[] = [];
  const byProvider = new Map<string, Map<string, KnownModel>>();
  for (const update of updates) {
    const model = readRow(update);
    if (model === undefined) {
      unreadable.push(update);
      continue;
    }
    const rows = byProvider.get(update.provider) ?? new Map<string, KnownModel>();
    byProvider.set(update.provider, rows.set(model.id, model));
  }
  const known = new Set(shipped.map(({ provider }) => provider));
  const more = [...byProvider].filter(([provider]) => !known.has(provider));
  return {
    files: [
      ...shipped.map((file) => withRows(file, byProvider.get(file.provider) ?? NO_ROWS)),
      ...more.map(([provider, rows]) => ({ provider, models: [...rows.values()] })),
    ],
    unreadable,
  };
}

/** The catalogue on a given day: models with an announced end on or before it are retired. */
export function asOf(day: string, files: readonly CatalogFile[]): readonly CatalogFile[] {
  return files.map((file) => ({
    ...file,
    models: file.models.map((model) => {
      const { retired, retiresAt } = model;
      if (retired !== undefined || retiresAt === undefined) return model;
      const end = new Date(retiresAt * 1_000).toISOString().slice(0, 10);
      return end > day ? model : { ...model, retired: end };
    }),
  }));
}

/** True if an update of one date replaces a row of another. */
export function outranks(update: string, shipped: string): boolean {
  return update >= shipped;
}

const NO_ROWS: ReadonlyMap<string, KnownModel> = new Map();

function withRows(file: CatalogFile, rows: ReadonlyMap<string, KnownModel>): CatalogFile {
  if (rows.size === 0) return file;
  const ids = new Set(file.models.map(({ id }) => id));
  const models = file.models.map((model) => {
    const update = rows.get(model.id);
    return update !== undefined && outranks(update.date, model.date) ? update : model;
  });
  return { ...file, models: [...models, ...[...rows.values()].filter(({ id }) => !ids.has(id))] };
}

function readRow({ provider, row }: UpdatedRow): KnownModel | undefined {
  try {
    const file = { provider, date: textOf(row["date"]) ?? "", models: [row] };
    return parseCatalogFile(file).models[0];
  } catch {
    return undefined;
  }
}
