import type { Kysely } from "kysely";
import { nanoUsd } from "#core/money.ts";
import type { Clock } from "#lib/clock.ts";
import type { Tables } from "./tables.ts";
import type { Role } from "./tables/users.ts";

export interface User {
  readonly id: number;
  readonly name: string;
  readonly role: Role;
}

export interface UserStore {
  /** The user that a new gateway starts with, and whose spending has no bound. */
  ensureRoot(): Promise<User>;
}

const ROOT_ID = 1;
const ENABLED = 1;

export function createUserStore(db: Kysely<Tables>, clock: Clock): UserStore {
  return {
    async ensureRoot() {
      return db.transaction().execute(async (transaction) => {
        const nothing = nanoUsd(0);
        await transaction
          .insertInto("users")
          .values({
            id: ROOT_ID,
            name: "root",
            role: "root",
            status: ENABLED,
            created_at: clock.now(),
          })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        await transaction
          .insertInto("accounts")
          .values({ id: `user:${ROOT_ID}`, granted: null, spent: nothing, held: nothing })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        return transaction
          .selectFrom("users")
          .select(["id", "name", "role"])
          .where("id", "=", ROOT_ID)
          .executeTakeFirstOrThrow();
      });
    },
  };
}
