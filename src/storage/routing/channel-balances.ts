import type { Kysely } from "kysely";
import type { ChannelBalanceStore } from "#core/channel-balance.ts";
import type { Tables } from "../tables.ts";

const MAX_BALANCES = 10_000;

export function createChannelBalanceStore(db: Kysely<Tables>): ChannelBalanceStore {
  return {
    async list() {
      const rows = await db
        .selectFrom("channel_balances")
        .selectAll()
        .orderBy("channel")
        .limit(MAX_BALANCES)
        .execute();
      return rows.map(({ amount, is_usable: isUsable, ...row }) => ({
        ...row,
        amount: Number(amount),
        isUsable: isUsable === 1,
      }));
    },

    async put({ channel, amount, currency, isUsable, at }) {
      const columns = { amount: String(amount), currency, is_usable: isUsable ? 1 : 0, at };
      await db
        .insertInto("channel_balances")
        .values({ channel, ...columns })
        .onConflict((conflict) => conflict.column("channel").doUpdateSet(columns))
        .execute();
    },

    async prune(before) {
      await db.deleteFrom("channel_balances").where("at", "<", before).execute();
    },
  };
}
