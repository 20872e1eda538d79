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
const OWNERS = ["user_id", "key_id", "team_id", "group_id"];

/**
 * Sums of days by label and owner, without model, channel and endpoint: a session has one row a
 * day, and not one for each combination of them.
 */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function usageOfLabels(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const key = ["day", "label", ...OWNERS];
  let table = db.schema.createTable("usage_label_owners");
  for (const column of key) {
    const type = column === "label" ? ddl.id : ddl.integer;
    table = table.addColumn(column, type, (each) => each.notNull());
  }
  for (const count of COUNTS)
    table = table.addColumn(count, ddl.integer, (column) => column.notNull());
  await table
    .addPrimaryKeyConstraint("usage_label_owners_by_all", key as never)
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();

  const columns = sql.join([...key, ...COUNTS].map((name) => sql.ref(name)));
  const names = sql.join(key.map((name) => sql.ref(name)));
  const sums = sql.join(COUNTS.map((name) => sql`sum(${sql.ref(name)})`));
  await sql`insert into usage_label_owners (${columns})
    select ${names}, ${sums} from usage_label_days group by ${names} order by ${names}`.execute(db);
}
