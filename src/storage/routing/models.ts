import type { Kysely } from "kysely";
import { GatewayError } from "#core/error.ts";
import type { ModelStore } from "#core/stored-routing.ts";
import type { Clock } from "#lib/clock.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { moveOn } from "./routing-version.ts";
import type { Tables } from "../tables.ts";
import { modelColumns, toStoredModel } from "../tables/models.ts";

const MAX_MODELS = 10_000;

export function createModelStore(db: Kysely<Tables>, clock: Clock): ModelStore {
  return {
    async list() {
      const rows = await db
        .selectFrom("models")
        .selectAll()
        .orderBy("name")
        .limit(MAX_MODELS)
        .execute();
      return rows.map(toStoredModel);
    },

    async put(name, override) {
      const columns = { ...modelColumns(override), updated_at: clock.now() };
      await inTransaction(db, async (transaction) => {
        await moveOn(transaction);
        await transaction
          .insertInto("models")
          .values({ name, ...columns })
          .onConflict((conflict) => conflict.column("name").doUpdateSet(columns))
          .execute();
        const { count } = await transaction
          .selectFrom("models")
          .select(({ fn, cast }) => cast<number>(fn.countAll(), "bigint").as("count"))
          .executeTakeFirstOrThrow();
        if (count > MAX_MODELS) throw tooMany();
      });
    },

    async delete(name) {
      return await inTransaction(db, async (transaction) => {
        await moveOn(transaction);
        const { numDeletedRows } = await transaction
          .deleteFrom("models")
          .where("name", "=", name)
          .executeTakeFirstOrThrow();
        return numDeletedRows > 0n;
      });
    },
  };
}

function tooMany(): GatewayError {
  return new GatewayError(
    "invalid_request",
    `The limit of ${MAX_MODELS} model entries is reached. Delete some first.`,
  );
}
