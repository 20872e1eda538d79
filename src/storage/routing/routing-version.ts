import { sql, type Kysely } from "kysely";
import type { RoutingVersion } from "#core/stored-routing.ts";
import type { Tables } from "../tables.ts";

const NAME = "routing";

export function createRoutingVersion(db: Kysely<Tables>): RoutingVersion {
  return {
    async read() {
      const row = await db
        .selectFrom("meta")
        .select("value")
        .where("key", "=", NAME)
        .executeTakeFirst();
      return row?.value ?? "0";
    },
  };
}

/**
 * The first statement in the transaction of every change. It also serialises
 * changes, so that none is based on a value that another is replacing.
 */
export async function moveOn(transaction: Kysely<Tables>): Promise<void> {
  await transaction
    .insertInto("meta")
    .values({ key: NAME, value: "1" })
    .onConflict((conflict) =>
      conflict
        .column("key")
        .doUpdateSet({ value: sql`cast(cast(meta.value as bigint) + 1 as text)` }),
    )
    .execute();
}
