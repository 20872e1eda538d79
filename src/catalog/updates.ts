import { z } from "zod";
import {
  type CatalogPlan,
  type CatalogUpdates,
  daysSince,
  MAX_CATALOG_AGE_DAYS,
  type StoredUpdates,
  type UpdatedRowStore,
} from "#core/catalog-update.ts";
import { invalid } from "#core/error.ts";
import type { Clock } from "#lib/clock.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";

import { checkFacts } from "./catalog-file.ts";
import { SHIPPED, SHIPPED_FILES } from "./index.ts";
import { newestDate } from "./live-catalog.ts";
import { knownRows, planUpdate, type PlannedUpdate } from "./plan-update.ts";

/** Maximum number of rows of one update. */
const MAX_ROWS = 5_000;

interface CatalogUpdatesDeps {
  readonly store: UpdatedRowStore;
  /** The updates in force. */
  readonly updates: () => StoredUpdates;
  /** Ids of all providers that channels can have. */
  readonly providers: ReadonlySet<string>;
  readonly clock: Pick<Clock, "now">;
  /** Called after the stored rows changed. */
  onChanged(): Promise<void>;
}

export function openCatalogUpdates(deps: CatalogUpdatesDeps): CatalogUpdates {
  const { store, updates, providers, clock, onChanged } = deps;

  function planned(facts: JsonObject): PlannedUpdate {
    const files = readFiles(facts, clock.now());
    return planUpdate(knownRows(SHIPPED, updates().rows), files, providers);
  }

  return {
    describe() {
      const shipped = newestDate(SHIPPED_FILES);
      const { date: updated, rows: updatedRows } = updates();
      const date = updated !== undefined && updated > shipped ? updated : shipped;
      const ageDays = daysSince(date, clock.now());
      const rows = new Map<string, number>();
      for (const { provider } of updatedRows) rows.set(provider, (rows.get(provider) ?? 0) + 1);
      return { shipped, updated, ageDays, isOld: ageDays > MAX_CATALOG_AGE_DAYS, rows };
    },

    plan: (facts) => withoutRows(planned(facts)),

    async apply(facts) {
      // Loads the changes of other gateways first.
      await onChanged();
      const plan = planned(facts);
      await store.put(plan.rows, newestOf(facts));
      await onChanged();
      return withoutRows(plan);
    },

    async remove(named) {
      const count = await store.delete(named);
      await onChanged();
      return count;
    },
  };
}

function withoutRows({ added, changed, unchanged, leftOut }: PlannedUpdate): CatalogPlan {
  return { added, changed, unchanged, leftOut };
}

function newestOf({ files }: JsonObject): string {
  const dates = listOf(files).map((file) => textOf(memberOf(file, "date")) ?? "");
  return dates.reduce((newest, date) => (date > newest ? date : newest), "");
}

function readFiles({ files }: JsonObject, now: number): readonly JsonObject[] {
  const all = listOf(files).filter(isObject);
  if (all.length === 0) throw invalid("files", "'files' must be a list of catalogue files.");
  const count = all.reduce((sum, file) => sum + listOf(file["models"]).length, 0);
  if (count > MAX_ROWS) {
    const hint = "Update some providers first, and the others after.";
    throw invalid(
      "files",
      `The update has ${count} rows, more than the maximum of ${MAX_ROWS}. ${hint}`,
    );
  }
  for (const [index, file] of all.entries()) check(file, `files.${index}`, now);
  return all;
}

function check(file: JsonObject, place: string, now: number): void {
  try {
    checkFacts(file);
  } catch (cause) {
    throw invalid(place, `'${place}' is not a valid catalogue file: ${mistakeIn(cause)}`, cause);
  }
  // A future date would take precedence over every row that ships until then.
  const tomorrow = new Date(now + 86_400_000).toISOString().slice(0, 10);
  const dates = [file, ...listOf(file["models"])].filter(isObject).map((each) => each["date"]);
  if (dates.some((date) => (textOf(date) ?? "") > tomorrow)) {
    throw invalid(place, `'${place}' has a date in the future.`);
  }
}

function mistakeIn(cause: unknown): string {
  if (!(cause instanceof z.ZodError)) return cause instanceof Error ? cause.message : "";
  const [first] = cause.issues;
  return `${first?.path.join(".") ?? ""}: ${first?.message ?? ""}`;
}
