import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** Ends the leases and the facts of dead gateways instead of waiting for their expiry. */
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
  await db.updateTable("alert_lease").set({ lease_until: 0 }).execute();
  await db.deleteFrom("gateway_facts").execute();
}
