import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** Ends the leases of dead gateways instead of waiting for their expiry. */
export async function endLeases(db: Kysely<Tables>): Promise<void> {
  await db
    .updateTable("tasks")
    .set({ lease_owner: null, lease_until: 0 })
    .where("lease_owner", "is not", null)
    .execute();
  await db
    .updateTable("notices")
    .set({ lease_until: 0 })
    .where("state", "=", "pending")
    .where("lease_until", ">", 0)
    .execute();
}
