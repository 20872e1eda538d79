import type { Kysely } from "kysely";
import type { MemberDraft, TeamStore } from "#core/team.ts";
import type { Clock } from "#lib/clock.ts";
import { changeBudgets } from "../accounts/budgets.ts";
import type { Grants, GrantTransaction } from "../accounts/grants.ts";
import { keysOf, type OpenKeyStore } from "../keys/keys.ts";
import type { Tables } from "../tables.ts";
import { toUser } from "../tables/users.ts";
import { contains } from "./search.ts";

interface MemberDeps {
  readonly db: Kysely<Tables>;
  readonly grants: Grants;
  readonly keys: Pick<OpenKeyStore, "changed">;
  readonly clock: Clock;
}

const PAGE = 1_000;

export function createMembers({
  db,
  grants,
  keys,
  clock,
}: MemberDeps): Pick<TeamStore, "members" | "putMembers" | "removeMembers"> {
  return {
    async members(teamId, { after = 0, limit, search, ids }) {
      let select = db
        .selectFrom("users")
        .selectAll()
        .where("team_id", "=", teamId)
        .where("deleted_at", "is", null)
        .where("id", ">", after)
        .orderBy("id")
        .limit(Math.min(limit, PAGE));
      if (search !== undefined) select = select.where(contains("users.search", search));
      if (ids !== undefined) select = select.where("id", "in", [0, ...ids]);
      return (await select.execute()).map(toUser);
    },

    async putMembers(teamId, members, note) {
      try {
        await grants.transaction((on) => putMembers(on, teamId, members, note, clock.now()));
      } finally {
        await keysChanged(members.map(({ userId }) => userId));
      }
    },

    async removeMembers(teamId, userIds) {
      if (userIds.length === 0) return [];
      try {
        const rows = await db
          .updateTable("users")
          .set({ team_id: null, is_team_owner: 0 })
          .where("team_id", "=", teamId)
          .where("id", "in", userIds)
          .returning("id")
          .execute();
        return rows.map(({ id }) => id);
      } finally {
        await keysChanged(userIds);
      }
    },
  };

  async function keysChanged(userIds: readonly number[]): Promise<void> {
    const changed: number[] = [];
    for (const id of userIds) changed.push(...(await keysOf(db, `user:${id}`)));
    await keys.changed(changed);
  }
}

/** In the order of ids, so that two requests for the same users do not wait for each other. */
export async function putMembers(
  on: GrantTransaction,
  teamId: number,
  members: readonly MemberDraft[],
  note: string,
  at: number,
): Promise<void> {
  for (const { userId, isOwner, budgets = {} } of members.toSorted(
    (one, other) => one.userId - other.userId,
  )) {
    await on.db
      .updateTable("users")
      .set(({ ref, eb }) => ({
        // Who joins is a member, unless the change says otherwise.
        is_team_owner:
          isOwner === undefined
            ? eb.case().when("team_id", "=", teamId).then(ref("is_team_owner")).else(0).end()
            : isOwner
              ? 1
              : 0,
        team_id: teamId,
      }))
      .where("id", "=", userId)
      .where("deleted_at", "is", null)
      .execute();
    await changeBudgets(on, `member:${teamId}-${userId}`, budgets, note, at);
  }
}
