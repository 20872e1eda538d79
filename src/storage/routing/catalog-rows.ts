import type { Kysely } from "kysely";
import type { UpdatedRow, UpdatedRowStore } from "#core/catalog-update.ts";
import { GatewayError } from "#core/error.ts";
import type { Clock } from "#lib/clock.ts";
import { isObject, parseJson } from "#lib/json.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { moveOn } from "./routing-version.ts";
import type { Tables } from "../tables.ts";

/** Key in `meta`: the newest date of all updates. */
const DATE = "catalog-date";
const MAX_ROWS = 10_000;
/** Both engines limit the values of one statement. */
const AT_ONCE = 200;

export function createUpdatedRowStore(db: Kysely<Tables>, clock: Clock): UpdatedRowStore {
  return {
    async list() {
      const rows = await db
        .selectFrom("catalog_rows")
        .select(["provider", "id", "row"])
        .orderBy("provider")
        .orderBy("id")
        .limit(MAX_ROWS)
        .execute();
      const day = await db
        .selectFrom("meta")
        .select("value")
        .where("key", "=", DATE)
        .executeTakeFirst();
      return {
        rows: rows.flatMap(({ provider, id, row }): UpdatedRow[] => {
          const json = parseJson(row);
          return isObject(json) ? [{ provider, id, row: json }] : [];
        }),
        date: day?.value,
      };
    },

    async put(rows, date) {
      const updatedAt = clock.now();
      const values = rows.map(({ provider, id, row }) => ({
        provider,
        id,
        row: JSON.stringify(row),
        updated_at: updatedAt,
      }));
      await inTransaction(db, async (transaction) => {
        await moveOn(transaction);
        await transaction
          .insertInto("meta")
          .values({ key: DATE, value: date })
          .onConflict((conflict) =>
            conflict.column("key").doUpdateSet({ value: date }).where("meta.value", "<", date),
          )
          .execute();
        for (let at = 0; at < values.length; at += AT_ONCE) {
          await transaction
            .insertInto("catalog_rows")
            .values(values.slice(at, at + AT_ONCE))
            .onConflict((conflict) =>
              conflict.columns(["provider", "id"]).doUpdateSet(({ ref }) => ({
                row: ref("excluded.row"),
                updated_at: ref("excluded.updated_at"),
              })),
            )
            .execute();
        }
        const { count } = await transaction
          .selectFrom("catalog_rows")
          .select(({ fn, cast }) => cast<number>(fn.countAll(), "bigint").as("count"))
          .executeTakeFirstOrThrow();
        if (Number(count) > MAX_ROWS) throw tooMany();
      });
    },

    async delete(providers) {
      return await inTransaction(db, async (transaction) => {
        await moveOn(transaction);
        if (providers === undefined) {
          await transaction.deleteFrom("meta").where("key", "=", DATE).execute();
        }
        const all = transaction.deleteFrom("catalog_rows");
        const named = providers === undefined ? all : all.where("provider", "in", providers);
        const { numDeletedRows } = await named.executeTakeFirstOrThrow();
        return Number(numDeletedRows);
      });
    },
  };
}

function tooMany(): GatewayError {
  return new GatewayError(
    "invalid_request",
    `The limit of ${MAX_ROWS} updated catalogue rows is reached. Remove the rows of some providers first.`,
  );
}
