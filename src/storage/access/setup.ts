import type { Kysely } from "kysely";
import { createSecret, isWellFormed } from "#core/key.ts";
import type { Clock } from "#lib/clock.ts";
import type { Tables } from "../tables.ts";
import { refreshUserSearch } from "./search.ts";
import { ROOT_ID } from "./users.ts";

const PREFIX = "slc-setup_";
const ROW = "setup:";
/** Long enough to read a log and open a page; each start creates a new token. */
const VALID_MS = 3_600_000;

type DigestOf = (secret: string) => string;

/**
 * A token for the first login of the root account. Each start creates one until
 * the login exists; several gateways on one database may each have printed one.
 */
export async function issueSetupToken(
  db: Kysely<Tables>,
  digestOf: DigestOf,
  clock: Clock,
): Promise<string | undefined> {
  const now = clock.now();
  const root = await db
    .selectFrom("users")
    .select("password")
    .where("id", "=", ROOT_ID)
    .executeTakeFirst();
  if (root === undefined || root.password !== null) return undefined;

  const rows = await db.selectFrom("meta").selectAll().where("key", "like", `${ROW}%`).execute();
  const old = rows.filter(({ value }) => Number(value) <= now).map(({ key }) => key);
  if (old.length > 0) await db.deleteFrom("meta").where("key", "in", old).execute();

  const token = createSecret(PREFIX);
  await db
    .insertInto("meta")
    .values({ key: ROW + digestOf(token), value: String(now + VALID_MS) })
    .execute();
  return token;
}

/**
 * Only one of several concurrent uses succeeds, because the account is without
 * a login only once.
 */
export async function spendSetupToken(
  db: Kysely<Tables>,
  digestOf: DigestOf,
  clock: Clock,
  token: string,
  login: { readonly email: string; readonly password: string },
): Promise<boolean> {
  if (!isWellFormed(token, PREFIX)) return false;
  return await db.transaction().execute(async (transaction) => {
    const row = await transaction
      .selectFrom("meta")
      .select("value")
      .where("key", "=", ROW + digestOf(token))
      .executeTakeFirst();
    if (row === undefined || Number(row.value) <= clock.now()) return false;

    const { numUpdatedRows } = await transaction
      .updateTable("users")
      .set(login)
      .where("id", "=", ROOT_ID)
      .where("password", "is", null)
      .executeTakeFirstOrThrow();
    await refreshUserSearch(transaction, ROOT_ID);
    await transaction.deleteFrom("meta").where("key", "like", `${ROW}%`).execute();
    return numUpdatedRows > 0n;
  });
}
