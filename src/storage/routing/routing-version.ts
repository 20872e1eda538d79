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
 * First in the transaction of every change: it also makes changes wait for
 * each other, so that none goes by what another is about to replace.
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
