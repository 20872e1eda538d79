import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

/** Rules, destinations and alerts, the facts of each gateway, and messages in the outbox. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function alerts(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id, tableEnd } = ddl;

  await db.schema
    .createTable("alert_rules")
    .addColumn("id", ddl.counter(1))
    .addColumn("name", "text", (column) => column.notNull().unique())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("is_enabled", integer, (column) => column.notNull())
    .addColumn("terms", "text", (column) => column.notNull())
    .addColumn("destinations", "text")
    .addColumn("remind_minutes", integer)
    .addColumn("silenced_until", integer)
    .modifyEnd(tableEnd("appended"))
    .execute();
  await db.schema
    .createTable("alert_destinations")
    .addColumn("id", ddl.counter(1))
    .addColumn("name", "text", (column) => column.notNull().unique())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("is_enabled", integer, (column) => column.notNull())
    .addColumn("address", "text", (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("updated_at", integer, (column) => column.notNull())
    .modifyEnd(tableEnd("appended"))
    .execute();
  await createAlerts(db, ddl);
  await db.schema
    .createTable("alert_lease")
    .addColumn("id", integer, (column) => column.notNull().primaryKey())
    .addColumn("holder", "text", (column) => column.notNull())
    .addColumn("lease_until", integer, (column) => column.notNull())
    .modifyEnd(tableEnd("keyed"))
    .execute();
  await db.schema
    .createTable("gateway_facts")
    .addColumn("instance", id, (column) => column.notNull().primaryKey())
    .addColumn("at", integer, (column) => column.notNull())
    .addColumn("facts", "text", (column) => column.notNull())
    .modifyEnd(tableEnd("keyed"))
    .execute();
  await db.schema.alterTable("notices").addColumn("destination_id", integer).execute();

  await db.insertInto("alert_lease").values({ id: 1, holder: "", lease_until: 0 }).execute();
  await db
    .insertInto("alert_rules")
    .values(
      DEFAULT_RULES.map(([name, kind, remind_minutes]) => ({
        name,
        kind,
        is_enabled: 1,
        terms: "{}",
        destinations: null,
        remind_minutes,
        silenced_until: null,
      })),
    )
    .execute();
}

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
async function createAlerts(db: Kysely<any>, { integer, id, tableEnd }: Ddl): Promise<void> {
  await db.schema
    .createTable("alerts")
    .addColumn("id", id, (column) => column.notNull().primaryKey())
    .addColumn("rule_id", integer, (column) => column.notNull())
    .addColumn("rule_name", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("level", integer, (column) => column.notNull())
    .addColumn("text", "text", (column) => column.notNull())
    // Null for an alert that ended: the engines allow any number of nulls.
    .addColumn("open_key", id, (column) => column.unique())
    .addColumn("began_at", integer, (column) => column.notNull())
    .addColumn("seen_at", integer, (column) => column.notNull())
    .addColumn("ended_at", integer)
    .addColumn("told_level", integer)
    .addColumn("told_at", integer)
    .addColumn("messages", integer, (column) => column.notNull())
    .addColumn("acknowledged_at", integer)
    .addColumn("acknowledged_by", "text")
    .addColumn("silenced_until", integer)
    .modifyEnd(tableEnd("keyed"))
    .execute();
  // Serves the deletion of old alerts.
  await db.schema.createIndex("alerts_by_end").on("alerts").columns(["ended_at"]).execute();
}

const DAY = 1_440;

/** Name, kind, and the interval of reminders in minutes. */
const DEFAULT_RULES = [
  ["channel refused", "channel_refused", DAY],
  ["channel failing", "channel_failing", DAY],
  ["channel slow", "channel_slow", DAY],
  ["model down", "model_down", 60],
  ["error rate", "error_rate", 60],
  ["budget", "budget", null],
  ["quota", "quota", null],
  ["model without price", "unpriced_model", 7 * DAY],
  ["simulated answers", "simulated", null],
  ["job failing", "job_failing", DAY],
  ["redis down", "redis_down", 60],
  ["database down", "database_down", 60],
  ["certificate", "certificate", DAY],
  ["secret", "secret", 7 * DAY],
  ["login guesses", "login_guesses", DAY],
] as const;
