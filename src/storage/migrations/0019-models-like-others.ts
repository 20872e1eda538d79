import type { Kysely } from "kysely";

/** A model may inherit the traits of another model. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function modelsLikeOthers(db: Kysely<any>): Promise<void> {
  await db.schema.alterTable("models").addColumn("like_model", "text").execute();
}
