import type { Kysely } from "kysely";
import type { SettingStore } from "#core/setting.ts";
import type { Clock } from "#lib/clock.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { moveOn } from "./routing-version.ts";
import type { Tables } from "../tables.ts";

export function createSettingStore(db: Kysely<Tables>, clock: Clock): SettingStore {
  return {
    async list() {
      const rows = await db.selectFrom("settings").selectAll().orderBy("name").execute();
      return new Map(rows.map(({ name, value }) => [name, value]));
    },

    async put(name, value) {
      const columns = { value, updated_at: clock.now() };
      await inTransaction(db, async (transaction) => {
        await moveOn(transaction);
        await transaction
          .insertInto("settings")
          .values({ name, ...columns })
          .onConflict((conflict) => conflict.column("name").doUpdateSet(columns))
          .execute();
      });
    },

    async delete(name) {
      return await inTransaction(db, async (transaction) => {
        await moveOn(transaction);
        const { numDeletedRows } = await transaction
          .deleteFrom("settings")
          .where("name", "=", name)
          .executeTakeFirstOrThrow();
        return numDeletedRows > 0n;
      });
    },
  };
}
