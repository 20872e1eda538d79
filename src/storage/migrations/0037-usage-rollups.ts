import { sql, type Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

const COUNTS = [
  "calls",
  "failed_calls",
  "input_tokens",
  "cached_input_tokens",
  "cache_write_tokens",
  "audio_input_tokens",
  "output_tokens",
  "reasoning_tokens",
  "audio_output_tokens",
  "cost",
  "image_input_tokens",
  "image_output_tokens",
  "images",
  "media_ms",
  "characters",
  "searches",
  "reference_images",
];
/** In the order of the key. */
const DIMENSIONS = ["user_id", "key_id", "team_id", "group_id", "model", "channel", "endpoint"];
const TEXTS: ReadonlySet<string> = new Set([
  "dimension",
  "name",
  "label",
  "model",
  "channel",
  "endpoint",
]);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Sums of days, and of one dimension an hour, so that a report of a month reads few rows. Tasks by
 * their time, for pages over all users.
 */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function usageRollups(db: Kysely<any>, ddl: Ddl): Promise<void> {
  await createSums(db, ddl, "usage_days", ["day", ...DIMENSIONS]);
  for (const column of ["user_id", "key_id", "team_id"])
    await db.schema
      .createIndex(`usage_days_by_${column}`)
      .on("usage_days")
      .columns([column, "day"])
      .execute();
  await createSums(db, ddl, "usage_label_days", ["day", "label", ...DIMENSIONS]);
  await createSums(db, ddl, "usage_totals", ["dimension", "hour", "id", "name"]);
  // Labels are found by day, or by the hours of a day.
  await db.schema.dropIndex("usage_labels_by_label").execute();

  const day = sql`hour - hour % ${sql.lit(DAY_MS)}`;
  await fill(db, "usage_days", "usage_hours", { day, ...named(DIMENSIONS) });
  await fill(db, "usage_label_days", "usage_labels", { day, ...named(["label", ...DIMENSIONS]) });
  for (const column of DIMENSIONS) {
    if (column === "key_id") continue;
    const isId = column.endsWith("_id");
    await fill(db, "usage_totals", "usage_hours", {
      dimension: sql`${sql.lit(column)}`,
      hour: sql.ref("hour"),
      id: isId ? sql.ref(column) : sql`0`,
      name: isId ? sql`''` : sql.ref(column),
    });
  }

  await markFolded(db);

  await db.schema.createIndex("tasks_by_time").on("tasks").columns(["created_at", "id"]).execute();
}

/** The job that adds ended hours to these sums starts after those that are in them. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
async function markFolded(db: Kysely<any>): Promise<void> {
  const latest = await db
    .selectFrom("usage_hours")
    .select((of) => of.fn.max("hour").as("hour"))
    .executeTakeFirst();
  const hour: unknown = latest?.["hour"];
  if (hour === null || hour === undefined) return;
  const value = String(Number(hour) + HOUR_MS);
  await db.insertInto("meta").values({ key: "usage_folded", value }).execute();
}

type Values = Readonly<Record<string, ReturnType<typeof sql>>>;

function named(columns: readonly string[]): Values {
  return Object.fromEntries(columns.map((name) => [name, sql.ref(name)]));
}

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
async function fill(db: Kysely<any>, table: string, from: string, key: Values): Promise<void> {
  const columns = [...Object.keys(key), ...COUNTS].map((name) => sql.ref(name));
  const sums = COUNTS.map((name) => sql`sum(${sql.ref(name)})`);
  const places = Object.keys(key).map((_, index) => sql.lit(index + 1));
  await sql`insert into ${sql.table(table)} (${sql.join(columns)})
    select ${sql.join([...Object.values(key), ...sums])} from ${sql.table(from)}
    group by ${sql.join(places)} order by ${sql.join(places)}`.execute(db);
}

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
async function createSums(db: Kysely<any>, ddl: Ddl, name: string, key: string[]): Promise<void> {
  let table = db.schema.createTable(name);
  for (const column of key) {
    const type = TEXTS.has(column) ? ddl.id : ddl.integer;
    table = table.addColumn(column, type, (each) => each.notNull());
  }
  for (const count of COUNTS)
    table = table.addColumn(count, ddl.integer, (column) => column.notNull());
  await table
    .addPrimaryKeyConstraint(`${name}_by_all`, key as never)
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();
}
