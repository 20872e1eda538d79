import type { Kysely } from "kysely";

/** Calls name the limit that refused them, and invitations the budgets that they give. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function namedRefusals(db: Kysely<any>): Promise<void> {
  await db.schema.alterTable("calls").addColumn("refused_by", "text").execute();
  await db.schema.alterTable("invitations").addColumn("budgets", "text").execute();
}
