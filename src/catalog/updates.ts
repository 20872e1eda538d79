import { createHash } from "node:crypto";
import { z } from "zod";
import {
  type CatalogFacts,
  type CatalogPlan,
  type CatalogUpdates,
  daysSince,
  type LeftOut,
  MAX_CATALOG_AGE_DAYS,
  type ReadList,
  type UpdatedRowStore,
} from "#core/catalog-update.ts";
import { GatewayError, invalid } from "#core/error.ts";
import type { Clock } from "#lib/clock.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { importFacts } from "./import/import-facts.ts";
import { checkFacts } from "./catalog-file.ts";
import { SHIPPED, SHIPPED_FILES } from "./index.ts";
import { newestDate, type LiveCatalog } from "./live-catalog.ts";
import { knownRows, planUpdate, type PlannedUpdate } from "./plan-update.ts";

/** Maximum number of rows of one update. */
const MAX_ROWS = 5_000;

interface CatalogUpdatesDeps {
  readonly store: UpdatedRowStore;
  /** The rows and updates in force. */
  readonly catalog: Pick<LiveCatalog, "updates" | "listModels">;
  /** Ids of all providers that channels can have. */
  readonly providers: ReadonlySet<string>;
  readonly clock: Pick<Clock, "now">;
  /** Called after the stored rows changed. */
  onChanged(): Promise<void>;
}

export function openCatalogUpdates(deps: CatalogUpdatesDeps): CatalogUpdates {
  const { store, catalog, providers, clock, onChanged } = deps;

  function planned(facts: CatalogFacts): Planned {
    const { files, list, leftOut = [] } = "list" in facts ? readList(facts) : asFiles(facts.files);
    const checked = checkFiles(files, clock.now());
    const plan = planUpdate(knownRows(SHIPPED, catalog.updates.rows), checked, providers);
    const all = { ...plan, leftOut: [...plan.leftOut, ...leftOut], ...(list && { list }) };
    return { ...all, date: newestOf(checked), digest: digestOf(all, checked) };
  }

  return {
    describe() {
      const shipped = newestDate(SHIPPED_FILES);
      const { date: updated, rows: updatedRows } = catalog.updates;
      const date = updated !== undefined && updated > shipped ? updated : shipped;
      const ageDays = daysSince(date, clock.now());
      const rows = new Map<string, number>();
      for (const { provider } of updatedRows) rows.set(provider, (rows.get(provider) ?? 0) + 1);
      return { shipped, updated, ageDays, isOld: ageDays > MAX_CATALOG_AGE_DAYS, rows };
    },

    plan: (facts) => withoutRows(planned(facts)),

    async apply(facts, digest) {
      // Loads the changes of other gateways first.
      await onChanged();
      const plan = planned(facts);
      if (digest !== undefined && digest !== plan.digest) throw outdated();
      await store.put(plan.rows, plan.date);
      await onChanged();
      return withoutRows(plan);
    },

    async remove(named) {
      const count = await store.delete(named);
      await onChanged();
      return count;
    },

    models: () => [...providers].flatMap((each) => catalog.listModels(each)),
  };
}

interface Planned extends PlannedUpdate, Pick<CatalogPlan, "digest" | "list"> {
  readonly date: string;
}

function withoutRows({ rows: _rows, date: _date, ...plan }: Planned): CatalogPlan {
  return plan;
}

function digestOf({ rows, leftOut }: PlannedUpdate, files: readonly JsonObject[]): string {
  return createHash("sha256")
    .update(JSON.stringify([rows, leftOut, files]))
    .digest("hex");
}

function outdated(): GatewayError {
  return new GatewayError(
    "plan_outdated",
    "The plan is outdated: the list or the catalogue has changed. Make a new plan and check it.",
  );
}

function newestOf(files: readonly JsonObject[]): string {
  const dates = files.map((file) => textOf(memberOf(file, "date")) ?? "");
  return dates.reduce((newest, date) => (date > newest ? date : newest), "");
}

interface ReadFacts {
  readonly files: readonly JsonObject[];
  readonly leftOut?: readonly LeftOut[];
  readonly list?: ReadList;
}

function asFiles(files: Json): ReadFacts {
  return { files: listOf(files).filter(isObject) };
}

function readList({ list, date, providers }: Extract<CatalogFacts, { list: unknown }>): ReadFacts {
  const read = importFacts(list, { date });
  if (read === undefined) {
    throw invalid(
      "list",
      "'list' is in none of the known formats: a catalogue file, LiteLLM's price file, " +
        "models.dev's api.json, genai-prices' data.json.",
    );
  }
  const isChosen = (provider: string | undefined): boolean =>
    providers === undefined || providers.includes(provider ?? "");
  const { format, otherProviders } = read;
  return {
    files: read.files.filter((file) => isChosen(textOf(file["provider"]))),
    leftOut: read.leftOut.filter(({ provider }) => isChosen(provider)),
    list: { format, otherProviders },
  };
}

function checkFiles(all: readonly JsonObject[], now: number): readonly JsonObject[] {
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
