import { sql, type Kysely, type RawBuilder } from "kysely";
import type { Tables } from "../tables.ts";

const BEAT_MS = 5_000;
const ABANDONED_AFTER_MS = 30_000;
const FORGOTTEN_AFTER_MS = 86_400_000;

/** By the database's clock, the only one that all gateways share. */
export const nowMs = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Shows the other gateways that this one lives, until it is disposed. */
export async function startHeartbeat(
  db: Kysely<Tables>,
  instance: string,
  onError: (cause: unknown) => void,
): Promise<AsyncDisposable> {
  await beat(db, instance);
  await forgetOthers(db);
  let beating = Promise.resolve();
  const timer = setInterval(() => {
    beating = beat(db, instance).catch((cause: unknown) =>
      onError(new Error("The database did not take the sign of life.", { cause })),
    );
  }, BEAT_MS);

  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await beating;
      // What this instance left open may be picked up at once.
      await db.deleteFrom("instances").where("id", "=", instance).execute().catch(onError);
    },
  };
}

export function isAbandoned(seenAt: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(${seenAt} is null or ${seenAt} < ${nowMs} - ${sql.lit(ABANDONED_AFTER_MS)})`;
}

export async function isAlive(db: Kysely<Tables>, instance: string): Promise<boolean> {
  const { isGone } = await db
    .selectNoFrom((nothing) => [
      isAbandoned(
        sql`${nothing.selectFrom("instances").select("seen_at").where("id", "=", instance)}`,
      ).as("isGone"),
    ])
    .executeTakeFirstOrThrow();
  return !isGone;
}

async function beat(db: Kysely<Tables>, instance: string): Promise<void> {
  await db
    .insertInto("instances")
    .values({ id: instance, seen_at: nowMs })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ seen_at: nowMs }))
    .execute();
}

async function forgetOthers(db: Kysely<Tables>): Promise<void> {
  await db
    .deleteFrom("instances")
    .where("seen_at", "<", sql<number>`${nowMs} - ${sql.lit(FORGOTTEN_AFTER_MS)}`)
    .execute();
}
