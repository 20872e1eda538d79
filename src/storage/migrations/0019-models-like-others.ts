import type { Kysely } from "kysely";

/** A model may have the traits of another one, which its owner names. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function modelsLikeOthers(db: Kysely<any>): Promise<void> {
  await db.schema.alterTable("models").addColumn("like_model", "text").execute();
}
