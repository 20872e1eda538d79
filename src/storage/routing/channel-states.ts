import type { Kysely, Selectable } from "kysely";
import type { ChannelState, ChannelStateStore } from "#core/channel-state.ts";
import { inTransaction } from "../database/in-transaction.ts";
import type { Tables } from "../tables.ts";
import type { ChannelStatesTable } from "../tables/channel-states.ts";
import { moveOn } from "./routing-version.ts";

/** One for each channel, also of files that only one gateway reads. */
const MAX_STATES = 10_000;

export function createChannelStateStore(db: Kysely<Tables>): ChannelStateStore {
  return {
    async list() {
      const rows = await db
        .selectFrom("channel_states")
        .selectAll()
        .orderBy("channel")
        .limit(MAX_STATES)
        .execute();
      return rows.map(toState);
    },

    async disable({ channel, ...state }) {
      const columns = {
        is_disabled: 1,
        cause: state.cause,
        reason: state.reason,
        since: state.since,
        probe_at: state.probeAt,
        probes: state.probes,
      };
      return await inTransaction(db, async (transaction) => {
        await moveOn(transaction);
        const row = await transaction
          .insertInto("channel_states")
          .values({ channel, ...columns, returned_at: null })
          .onConflict((conflict) =>
            conflict
              .column("channel")
              .doUpdateSet(columns)
              .where("channel_states.is_disabled", "=", 0),
          )
          .returning("channel")
          .executeTakeFirst();
        return row !== undefined;
      });
    },

    async leaseProbe({ channel, probeAt, probes }, nextAt) {
      const { numUpdatedRows } = await db
        .updateTable("channel_states")
        .set({ probe_at: nextAt, probes: probes + 1 })
        .where("channel", "=", channel)
        .where("is_disabled", "=", 1)
        .where("probe_at", "=", probeAt)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },

    async enable(channel, at) {
      return await inTransaction(db, async (transaction) => {
        await moveOn(transaction);
        const { numUpdatedRows } = await transaction
          .updateTable("channel_states")
          .set({ is_disabled: 0, returned_at: at })
          .where("channel", "=", channel)
          .where("is_disabled", "=", 1)
          .executeTakeFirstOrThrow();
        return numUpdatedRows > 0n;
      });
    },

    async prune(before, names) {
      await db
        .deleteFrom("channel_states")
        .where("since", "<", before)
        .where((is) =>
          names.length === 0
            ? is.lit(true)
            : is.or([is("is_disabled", "=", 0), is("channel", "not in", names)]),
        )
        .execute();
    },
  };
}

function toState(row: Selectable<ChannelStatesTable>): ChannelState {
  return {
    channel: row.channel,
    isDisabled: row.is_disabled === 1,
    cause: row.cause,
    reason: row.reason,
    since: row.since,
    probeAt: row.probe_at,
    probes: row.probes,
    returnedAt: row.returned_at ?? undefined,
  };
}
