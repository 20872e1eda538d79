import type { Transaction } from "kysely";
import type { Tables } from "../tables.ts";
import { nowMs } from "./heartbeat.ts";

const COUNTS_FOR_MS = 30_000;

/** Throws if a gateway uses the database, as far as its heartbeat shows. */
export async function assertNoGateway(transaction: Transaction<Tables>): Promise<void> {
  const alive = await transaction
    .selectFrom("instances")
    .select("id")
    .where((row) => row("seen_at", ">", row(nowMs, "-", COUNTS_FOR_MS)))
    .limit(1)
    .executeTakeFirst();
  if (alive === undefined) return;
  throw new Error(
    `The gateway ${alive.id} uses this database. Stop all its gateways first; one that was killed ` +
      `counts for ${COUNTS_FOR_MS / 1_000} s more.`,
  );
}
