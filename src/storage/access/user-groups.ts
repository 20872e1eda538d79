import type { Kysely } from "kysely";
import { GatewayError } from "#core/error.ts";
import { USUAL_FACTOR, type Group, type GroupStore } from "#core/group.ts";
import type { Clock } from "#lib/clock.ts";
import type { OpenKeyStore } from "../keys/keys.ts";
import type { Tables } from "../tables.ts";
import { GROUP_COLUMNS, groupColumns, toGroup } from "../tables/groups.ts";
import { isReferenceViolation, isUniqueViolation } from "../database/unique.ts";

interface GroupStoreDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly keys: Pick<OpenKeyStore, "groupChanged">;
}

const PAGE = 1_000;

export function createGroupStore({ db, clock, keys }: GroupStoreDeps): GroupStore {
  return {
    async create({ name, ...fields }) {
      const now = clock.now();
      const row = {
        price_factor: USUAL_FACTOR,
        prices: "{}",
        ...groupColumns(fields),
        name,
        version: 1,
        created_at: now,
        changed_at: now,
      };
      try {
        const { id } = await db
          .insertInto("groups")
          .values(row)
          .returning("id")
          .executeTakeFirstOrThrow();
        return toGroup(await select().where("id", "=", id).executeTakeFirstOrThrow());
      } catch (cause) {
        throw isUniqueViolation(cause) ? takenByGroup(name, cause) : cause;
      }
    },

    find,

    async findByName(name) {
      const row = await select().where("name", "=", name).executeTakeFirst();
      return row && toGroup(row);
    },

    async list(afterId, limit) {
      const rows = await select()
        .where("id", ">", afterId)
        .orderBy("id")
        .limit(Math.min(limit, PAGE))
        .execute();
      return rows.map(toGroup);
    },

    async change(id, change) {
      const columns = groupColumns(change);
      if (Object.keys(columns).length === 0) return await find(id);
      try {
        await db
          .updateTable("groups")
          .set(columns)
          .set((row) => ({ version: row("version", "+", 1), changed_at: clock.now() }))
          .where("id", "=", id)
          .execute();
      } catch (cause) {
        throw isUniqueViolation(cause) ? takenByGroup(change.name ?? "", cause) : cause;
      } finally {
        // Also after an error: the change may have been committed without our knowledge.
        keys.groupChanged(id);
      }
      return await find(id);
    },

    async delete(id) {
      try {
        const { numDeletedRows } = await db
          .deleteFrom("groups")
          .where("id", "=", id)
          .executeTakeFirstOrThrow();
        return numDeletedRows > 0n;
      } catch (cause) {
        throw isReferenceViolation(cause) ? inUse(cause) : cause;
      }
    },
  };

  async function find(id: number): Promise<Group | undefined> {
    const row = await select().where("id", "=", id).executeTakeFirst();
    return row && toGroup(row);
  }

  function select() {
    return db.selectFrom("groups").select(GROUP_COLUMNS);
  }
}

function takenByGroup(name: string, cause: unknown): GatewayError {
  return new GatewayError(
    "invalid_request",
    `A group named ${JSON.stringify(name)} already exists. Choose another name.`,
    { param: "name", cause },
  );
}

function inUse(cause: unknown): GatewayError {
  return new GatewayError(
    "invalid_request",
    "The group has users or keys. Move the users to another group, and delete the keys, first.",
    { cause },
  );
}
