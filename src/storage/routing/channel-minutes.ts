import { sql, type Kysely, type Selectable } from "kysely";
import { z } from "zod";
import {
  MINUTE_MS,
  sumMinutes,
  type ChannelMinute,
  type ChannelMinuteStore,
} from "#core/channel-minute.ts";
import { FAULTS, type FaultCode } from "#core/error.ts";
import { nanoUsd } from "#core/money.ts";
import type { Tables } from "../tables.ts";
import type { ChannelMinutesTable } from "../tables/channel-minutes.ts";

/** One hour of 1,000 channels on two gateways. */
const MAX_ROWS = 120_000;
/** Minutes that one statement deletes. */
const MAX_PRUNED_MINUTES = 60;

export function createChannelMinutes(db: Kysely<Tables>, instance: string): ChannelMinuteStore {
  return {
    async write(minutes) {
      if (minutes.length === 0) return;
      await db
        .insertInto("channel_minutes")
        .values(
          minutes.map((each) => ({
            channel: each.channel,
            minute: each.minute,
            instance,
            attempts: each.attempts,
            failed: each.failed,
            cost: each.cost,
            first_bytes: JSON.stringify([...each.firstBytes]),
            faults: JSON.stringify([...each.faults]),
          })),
        )
        .onConflict((conflict) =>
          conflict.columns(["channel", "minute", "instance"]).doUpdateSet({
            attempts: sql<never>`excluded.attempts`,
            failed: sql<never>`excluded.failed`,
            cost: sql<never>`excluded.cost`,
            first_bytes: sql<never>`excluded.first_bytes`,
            faults: sql<never>`excluded.faults`,
          }),
        )
        .execute();
    },

    async read(channel, from, to) {
      const rows = await db
        .selectFrom("channel_minutes")
        .selectAll()
        .where("channel", "=", channel)
        .where("minute", ">=", from)
        .where("minute", "<", to)
        .orderBy("minute")
        .execute();
      const byMinute = Map.groupBy(rows.map(toMinute), ({ minute }) => minute);
      return [...byMinute].map(([minute, each]) => ({ channel, minute, ...sumMinutes(each) }));
    },

    async sums(from) {
      const rows = await db
        .selectFrom("channel_minutes")
        .selectAll()
        .where("minute", ">=", from)
        .limit(MAX_ROWS)
        .execute();
      const byName = Map.groupBy(rows.map(toMinute), ({ channel }) => channel);
      return new Map([...byName].map(([name, each]) => [name, sumMinutes(each)]));
    },

    async prune(before) {
      const { numDeletedRows } = await db
        .deleteFrom("channel_minutes")
        .where("minute", "<", before)
        .where("minute", "<=", (oldest) =>
          oldest
            .selectFrom("channel_minutes")
            .select(
              sql<number>`min(minute) + ${sql.lit(MAX_PRUNED_MINUTES * MINUTE_MS)}`.as("minute"),
            ),
        )
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
  };
}

function toMinute(row: Selectable<ChannelMinutesTable>): ChannelMinute {
  return {
    channel: row.channel,
    minute: row.minute,
    attempts: row.attempts,
    failed: row.failed,
    cost: nanoUsd(row.cost),
    firstBytes: new Map(FIRST_BYTES.parse(JSON.parse(row.first_bytes))),
    faults: new Map(FAULT_COUNTS.parse(JSON.parse(row.faults))),
  };
}

const FIRST_BYTES = z.array(z.tuple([z.number(), z.number()]));
const FAULT_COUNTS = z.array(
  z.tuple([z.custom<FaultCode>((code) => typeof code === "string" && code in FAULTS), z.number()]),
);
