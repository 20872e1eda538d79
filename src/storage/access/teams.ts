import { sql, type Kysely } from "kysely";
import { budgetsIn } from "#core/budget.ts";
import { foldName } from "#core/name.ts";
import { GatewayError } from "#core/error.ts";
import type { QuotaOwner } from "#core/quota.ts";
import type { TeamStore } from "#core/team.ts";
import type { Clock } from "#lib/clock.ts";
import { addBudgets, changeBudgets } from "../accounts/budgets.ts";
import { inTransaction } from "../database/in-transaction.ts";
import type { Grants } from "../accounts/grants.ts";
import { deleteUser } from "./delete-users.ts";
import { keysOf, type OpenKeyStore } from "../keys/keys.ts";
import { openAccount } from "../accounts/open-account.ts";
import type { Tables } from "../tables.ts";
import { readTerms } from "../tables/budgets.ts";
import { toTeam } from "../tables/teams.ts";
import { createMembers, putMembers } from "./members.ts";
import { contains } from "./search.ts";
import { isReferenceViolation, isUniqueViolation } from "../database/unique.ts";

interface TeamStoreDeps {
  readonly db: Kysely<Tables>;
  readonly grants: Grants;
  readonly keys: Pick<OpenKeyStore, "changed">;
  readonly clock: Clock;
}

const PAGE = 1_000;

export function createTeamStore({ db, grants, keys, clock }: TeamStoreDeps): TeamStore {
  return {
    async create({ name, quota, budgets = {}, members = [] }, note) {
      const now = clock.now();
      try {
        return await grants.transaction(async (on) => {
          const { db: transaction } = on;
          const inserted = await transaction
            .insertInto("teams")
            .values({ name, search: foldName(name), created_at: now })
            .returningAll()
            .executeTakeFirstOrThrow();
          const owner: QuotaOwner = `team:${inserted.id}`;
          await openAccount(transaction, owner, quota ?? null, note, now);
          await addBudgets(transaction, owner, budgets);
          await putMembers(on, inserted.id, members, note, now);
          return toTeam(inserted);
        });
      } catch (cause) {
        throw isUniqueViolation(cause) ? taken(cause) : cause;
      } finally {
        for (const { userId } of members) await keys.changed(await keysOf(db, `user:${userId}`));
      }
    },

    ...createMembers({ db, grants, keys, clock }),

    async find(id) {
      const row = await db.selectFrom("teams").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toTeam(row);
    },

    async findByName(name) {
      const row = await db
        .selectFrom("teams")
        .selectAll()
        .where("name", "=", name)
        .executeTakeFirst();
      return row && toTeam(row);
    },

    async list(afterId, limit, search) {
      let select = db
        .selectFrom("teams")
        .selectAll()
        .where("id", ">", afterId)
        .orderBy("id")
        .limit(Math.min(limit, PAGE));
      if (search !== undefined) select = select.where(contains("teams.search", search));
      return (await select.execute()).map(toTeam);
    },

    async budgets() {
      const rows = await db
        .selectFrom("budgets")
        .selectAll()
        .where(sql<string>`owner`, "like", "team:%")
        .execute();
      return new Map(
        rows.map(({ owner, terms }) => [
          Number(owner.slice("team:".length)),
          budgetsIn(owner, readTerms(terms)),
        ]),
      );
    },

    async change(id, { name, quota, budgets = {} }, note) {
      const owner: QuotaOwner = `team:${id}`;
      try {
        return await grants.transaction(async (transaction) => {
          const row = await transaction.db
            .updateTable("teams")
            .set(({ ref }) =>
              name === undefined ? { name: ref("name") } : { name, search: foldName(name) },
            )
            .where("id", "=", id)
            .returningAll()
            .executeTakeFirst();
          if (row === undefined) return undefined;
          if (quota !== undefined) await transaction.grant(owner, quota, note);
          await changeBudgets(transaction, owner, budgets, note, clock.now());
          return toTeam(row);
        });
      } catch (cause) {
        throw isUniqueViolation(cause) ? taken(cause) : cause;
      } finally {
        if (Object.keys(budgets).length > 0) await keys.changed(await keysOf(db, owner));
      }
    },

    async delete(id) {
      const ended: number[] = [];
      try {
        return await inTransaction(db, async (transaction) => {
          ended.push(...(await deleteServices(transaction, id)));
          await transaction
            .deleteFrom("budgets")
            .where((either) =>
              either.or([
                either("owner", "=", `team:${id}`),
                either(sql<string>`owner`, "like", `member:${id}-%`),
              ]),
            )
            .execute();
          const { numDeletedRows } = await transaction
            .deleteFrom("teams")
            .where("id", "=", id)
            .executeTakeFirstOrThrow();
          return numDeletedRows > 0n;
        });
      } catch (cause) {
        if (!isReferenceViolation(cause)) throw cause;
        const message = "The team has members or keys. Move them to another team first.";
        throw new GatewayError("invalid_request", message, { cause });
      } finally {
        await keys.changed(ended);
      }
    },
  };

  /** The ids of their keys. */
  async function deleteServices(
    transaction: Kysely<Tables>,
    teamId: number,
  ): Promise<readonly number[]> {
    const services = await transaction
      .selectFrom("users")
      .select("id")
      .where("team_id", "=", teamId)
      .where("is_service", "=", 1)
      .execute();
    const ended: number[] = [];
    for (const { id } of services) {
      ended.push(...((await deleteUser(transaction, id, clock.now())) ?? []));
    }
    return ended;
  }
}

function taken(cause: unknown): GatewayError {
  return new GatewayError("invalid_request", "Another team has this name. Choose another one.", {
    cause,
  });
}
