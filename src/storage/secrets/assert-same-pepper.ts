import type { Kysely } from "kysely";
import { digestOf } from "./secrets.ts";
import type { Tables } from "../tables.ts";

const NAME = "pepper";
/** A public constant: its digest shows if the pepper has changed. */
const PROBE = "which pepper is this?";

/** The stored value that shows which pepper a database belongs to. */
export function pepperCheck(pepper: Uint8Array): string {
  return digestOf(PROBE, pepper);
}

/**
 * With another pepper every key and password would be unknown. The start
 * therefore fails on a lost secret file or a gateway with a different secret. A
 * database without keys and passwords accepts a new pepper.
 */
export async function assertSamePepper(
  db: Kysely<Tables>,
  pepper: Uint8Array,
  secretFile?: string,
): Promise<void> {
  const value = pepperCheck(pepper);
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
    .where("password", "is not", null)
    .limit(1)
    .executeTakeFirst();
  const token = await db.selectFrom("access_tokens").select("id").limit(1).executeTakeFirst();
  if (key !== undefined || user !== undefined || token !== undefined) {
    throw new Error(
      "The keys and passwords of this database belong to another secret. Restore the file `secret` of the " +
        "data folder, or set SLUICE_SECRET to the value of the other gateways.",
    );
  }
  await db.updateTable("meta").set({ value }).where("key", "=", NAME).execute();
}

/** A gateway with a new, empty database would refuse every key that it has issued. */
async function assertNotEmptied(db: Kysely<Tables>, secretFile: string): Promise<void> {
  const known = await db
    .selectFrom("meta")
    .select("value")
    .where("key", "=", NAME)
    .executeTakeFirst();
  const user = await db.selectFrom("users").select("id").limit(1).executeTakeFirst();
  if (known !== undefined || user !== undefined) return;
  throw new Error(
    `The database is empty, but ${secretFile} belongs to an earlier database. Restore the database ` +
      "from a backup. To start with an empty database, move that file away.",
  );
}
