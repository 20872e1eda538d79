import { sql, type Kysely } from "kysely";
import type { QuotaOwner } from "#core/quota.ts";
import type { Tables } from "../tables.ts";

/** Calls and tasks that this owner will be charged for, admitted before `before` (Unix ms). */
export async function countOpenCalls(
  db: Kysely<Tables>,
  owner: QuotaOwner,
  before: number,
): Promise<number> {
  const others = sql<string>`' ' || coalesce(more_accounts, '') || ' '`;
  const { count } = await db
    .selectFrom("holds")
    .select(({ fn, cast }) => cast<number>(fn.countAll(), "bigint").as("count"))
    .where("opened_at", "<", before)
    .where((hold) =>
      hold.or([hold("user_account", "=", owner), hold(others, "like", `% ${owner} %`)]),
    )
    .executeTakeFirstOrThrow();
  return Number(count);
}
