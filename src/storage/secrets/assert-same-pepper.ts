import type { Kysely } from "kysely";
import { digestOf } from "./secrets.ts";
import type { Tables } from "../tables.ts";

const NAME = "pepper";
/** Not a secret, and no key's: digested only to see whether the pepper is the same. */
const PROBE = "which pepper is this?";

/**
 * With another pepper every key and every password would be unknown: a lost file or a gateway
 * with a secret of its own is better noticed at the start. While there is
 * neither yet, a new pepper is as good as the old one.
 */
export async function assertSamePepper(
  db: Kysely<Tables>,
  pepper: Uint8Array,
  secretFile?: string,
): Promise<void> {
  const value = digestOf(PROBE, pepper);
  if (secretFile !== undefined) await assertNotEmptied(db, secretFile);
  await db
    .insertInto("meta")
    .values({ key: NAME, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const stored = await db
    .selectFrom("meta")
    .select("value")
    .where("key", "=", NAME)
    .executeTakeFirstOrThrow();
  if (stored.value === value) return;

  const key = await db
    .selectFrom("keys")
    .select("id")
    .where("deleted_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  const user = await db
    .selectFrom("users")
    .select("id")
    .where((or) => or.or([or("password", "is not", null), or("token_digest", "is not", null)]))
    .limit(1)
    .executeTakeFirst();
  if (key !== undefined || user !== undefined) {
    throw new Error(
      "The keys and passwords of this database were made with another secret. Restore the file `secret` of the " +
        "data folder, or give this gateway the SLUICE_SECRET that the others have.",
    );
  }
  await db.updateTable("meta").set({ value }).where("key", "=", NAME).execute();
}

/** A gateway that began anew without saying so would refuse every key that it has issued. */
async function assertNotEmptied(db: Kysely<Tables>, secretFile: string): Promise<void> {
  const known = await db
    .selectFrom("meta")
    .select("value")
    .where("key", "=", NAME)
    .executeTakeFirst();
  const user = await db.selectFrom("users").select("id").limit(1).executeTakeFirst();
  if (known !== undefined || user !== undefined) return;
  throw new Error(
    `The database is empty, but ${secretFile} is the secret of an earlier one. Restore the database ` +
      "from a backup. To begin anew, move that file away.",
  );
}
