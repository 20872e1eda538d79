import { sql, type Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/**
 * Adds the team and group of tasks, which end in the background, where they are not known. The
 * team is the one that the ledger charged, since the user may have left it meanwhile.
 */
export async function addTeamsOfTasks(
  db: Kysely<Tables>,
  after: number,
  last: number,
): Promise<void> {
  const tasks = await db
    .selectFrom("calls")
    .leftJoin("users", "users.id", "calls.user_id")
    .leftJoin("ledger", (join) => join.on("ledger.op_id", "=", sql<string>`calls.id || ':settle'`))
    .select(["calls.seq", "users.team_id", "users.group_id", "ledger.kind", "ledger.more_accounts"])
    .where("calls.seq", ">", after)
    .where("calls.seq", "<=", last)
    .where("calls.endpoint", "=", "videos")
    .where("calls.team_id", "is", null)
    .where("calls.group_id", "is", null)
    .execute();
  for (const { seq, kind, more_accounts: accounts, ...user } of tasks) {
    const team_id = kind === null ? user.team_id : teamIn(accounts);
    const { group_id } = user;
    if (team_id === null && group_id === null) continue;
    await db.updateTable("calls").set({ team_id, group_id }).where("seq", "=", seq).execute();
  }
}

function teamIn(accounts: string | null): number | null {
  const [, id] = /(?:^| )team:(\d{1,16})(?: |$)/.exec(accounts ?? "") ?? [];
  return id === undefined ? null : Number(id);
}
