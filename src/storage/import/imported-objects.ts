import type { Kysely } from "kysely";
import type { ImportedObjects } from "#core/import.ts";
import type { Clock } from "#lib/clock.ts";
import type { Tables } from "../tables.ts";

export function createImportedObjects(db: Kysely<Tables>, clock: Clock): ImportedObjects {
  return {
    async list(source) {
      return await db
        .selectFrom("imported")
        .select(["kind", "ref", "target"])
        .where("source", "=", source)
        .execute();
    },

    async add(source, object) {
      await db
        .insertInto("imported")
        .values({ source, ...object, at: clock.now() })
        .execute();
    },
  };
}
