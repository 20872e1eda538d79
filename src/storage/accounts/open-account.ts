import type { Kysely } from "kysely";
import type { AccountId } from "#core/key.ts";
import { nanoUsd, type NanoUsd } from "#core/money.ts";
import { addGrant, newGrantId } from "./grants.ts";
import type { Tables } from "../tables.ts";

/** A new account with its first grant, if any: no call can have used it before. */
export async function openAccount(
  db: Kysely<Tables>,
  id: AccountId,
  granted: NanoUsd | null,
  note: string,
  at: number,
): Promise<void> {
  const nothing = nanoUsd(0);
  await db.insertInto("accounts").values({ id, granted, spent: nothing, held: nothing }).execute();
  if (granted === null) return;
  await addGrant(db, { opId: newGrantId(at), id, before: null, granted, note, at });
}
