import type { Kysely } from "kysely";
import type { Ledger } from "#core/ledger.ts";
import type { NanoUsd } from "#core/money.ts";
import type { ListedKey, OwnKeys } from "#core/own-keys.ts";
import type { Clock } from "#lib/clock.ts";
import { taken } from "./key-taken.ts";
import { selectKeys, type OpenKeyStore } from "./keys.ts";
import type { Tables } from "./tables.ts";
import { deletedKey, keyColumns, toListedKey } from "./tables/keys.ts";
import { isUniqueViolation } from "./unique.ts";

export interface OwnKeysDeps {
  readonly db: Kysely<Tables>;
  readonly ledger: Ledger;
  readonly keys: Pick<OpenKeyStore, "changed">;
  readonly clock: Clock;
}

/** Both engines bound the parameters of a statement. */
const MAX_AT_ONCE = 1_000;

/** Every query names the owner: what it does not find may be somebody else's, or nobody's. */
export function createOwnKeys(deps: OwnKeysDeps): Omit<OwnKeys, "create"> {
  const { db, ledger, keys, clock } = deps;
  return {
    async page(userId, offset, limit) {
      const items = await selectKeys(db)
        .where("keys.user_id", "=", userId)
        .where("keys.deleted_at", "is", null)
        .orderBy("keys.id", "desc")
        .limit(Math.min(limit, MAX_AT_ONCE))
        .offset(offset)
        .execute();
      const { total } = await db
        .selectFrom("keys")
        .select(({ fn, cast }) => cast<number>(fn.countAll(), "bigint").as("total"))
        .where("user_id", "=", userId)
        .where("deleted_at", "is", null)
        .executeTakeFirstOrThrow();
      return { items: items.map(toListedKey), total };
    },

    findOwn,

    async update(userId, id, { quota, status, ...change }) {
      const columns = { ...keyColumns(change), ...(status === undefined ? {} : { status }) };
      if (Object.keys(columns).length > 0) {
        try {
          await db
            .updateTable("keys")
            .set(columns)
            .where("id", "=", id)
            .where("user_id", "=", userId)
            .where("deleted_at", "is", null)
            .execute();
        } catch (cause) {
          throw isUniqueViolation(cause) ? taken(change.name ?? "", cause) : cause;
        } finally {
          // Also when it failed: the change may have been made without our hearing of it.
          await keys.changed([id]);
        }
      }
      const found = await findOwn(userId, id);
      if (found === undefined || quota === undefined || quota === found.quota) return found;
      return await grant(found, quota);
    },

    async deleteOwn(userId, ids) {
      const wanted = ids.slice(0, MAX_AT_ONCE);
      if (wanted.length === 0) return [];
      try {
        const rows = await db
          .updateTable("keys")
          .set(deletedKey(clock.now()))
          .where("id", "in", wanted)
          .where("user_id", "=", userId)
          .where("deleted_at", "is", null)
          .returning("id")
          .execute();
        return rows.map(({ id }) => id);
      } finally {
        await keys.changed(wanted);
      }
    },
  };

  async function findOwn(userId: number, id: number): Promise<ListedKey | undefined> {
    const row = await selectKeys(db)
      .where("keys.id", "=", id)
      .where("keys.user_id", "=", userId)
      .where("keys.deleted_at", "is", null)
      .executeTakeFirst();
    return row && toListedKey(row);
  }

  async function grant({ key }: ListedKey, quota: NanoUsd | null): Promise<ListedKey | undefined> {
    await ledger.grant(`key:${key.id}`, quota, "changed by its owner");
    await keys.changed([key.id]);
    return await findOwn(key.userId, key.id);
  }
}
