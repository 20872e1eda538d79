import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

/** Prefixes of models, overrides of requests, notes, labels and revisions of channels. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function describedChannels(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const add = (name: string, type: "text" | typeof ddl.integer, usual?: string | number) =>
    db.schema
      .alterTable("channels")
      .addColumn(name, type, (column) =>
        usual === undefined ? column : column.notNull().defaultTo(usual),
      )
      .execute();
  await add("model_prefix", "text");
  await add("overrides", "text");
  await add("notes", "text");
  await add("tags", "text", "[]");
  await add("revision", ddl.integer, 1);
  await add("changes", "text", "[]");
}
