import type { Kysely } from "kysely";

/** Labels that clients send about the work of a call. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function callTags(db: Kysely<any>): Promise<void> {
  for (const name of ["session_id", "agent_id", "parent_agent_id"])
    await db.schema.alterTable("calls").addColumn(name, "text").execute();
  await db.schema
    .createIndex("calls_by_session")
    .on("calls")
    .columns(["session_id", "seq"])
    .where("session_id", "is not", null)
    .execute();
}
