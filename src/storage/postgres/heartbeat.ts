import { sql, type Kysely, type RawBuilder } from "kysely";
import type { Clock } from "#lib/clock.ts";
import type { Tables } from "../tables.ts";
import { Witness } from "./witness.ts";

const MAX_BEAT_MS = 5_000;
/** Heartbeats within a lease, so that a few may fail. */
const BEATS_PER_LEASE = 6;
const FORGOTTEN_AFTER_MS = 86_400_000;

/** The database's clock, the only clock that all gateways share. */
export const nowMs = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

interface HeartbeatDeps {
  readonly db: Kysely<Tables>;
  readonly instance: string;
  readonly clock: Clock;
  /** An instance with an older heartbeat counts as ended. */
  readonly leaseMs: number;
  /** The start had to wait for the database. */
  readonly hadToWait: boolean;
  readonly onError: (cause: unknown) => void;
}

export interface Heartbeat extends AsyncDisposable {
  /** True for another instance that has ended or whose heartbeat is overdue. */
  isAbandoned(seenAt: RawBuilder<unknown>): RawBuilder<boolean>;
  isAlive(instance: string): Promise<boolean>;
}

/** Writes this gateway's heartbeat for the other gateways, until it is disposed. */
export async function startHeartbeat(deps: HeartbeatDeps): Promise<Heartbeat> {
  const { db, instance, clock, leaseMs, hadToWait, onError } = deps;
  await beat(db, instance);
  await forgetOthers(db);
  const witness = new Witness(clock, leaseMs, !hadToWait);
  const isAbandoned = (seenAt: RawBuilder<unknown>): RawBuilder<boolean> =>
    witness.isReliable
      ? sql<boolean>`(${seenAt} is null or ${seenAt} < ${nowMs} - ${sql.lit(leaseMs)})`
      : sql<boolean>`${seenAt} is null`;
  let beating = Promise.resolve();
  const timer = setInterval(
    () => {
      beating = beat(db, instance).then(
        () => witness.heard(),
        (cause: unknown) =>
          onError(new Error("heartbeat failed: the database cannot be written", { cause })),
      );
    },
    Math.min(MAX_BEAT_MS, leaseMs / BEATS_PER_LEASE),
  );

  return {
    isAbandoned,
    isAlive: async (other) => other === instance || (await isAlive(db, other, isAbandoned)),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await beating;
      // Other gateways may take over this instance's holds at once.
      await db.deleteFrom("instances").where("id", "=", instance).execute().catch(onError);
    },
  };
}

async function isAlive(
  db: Kysely<Tables>,
  instance: string,
  isAbandoned: Heartbeat["isAbandoned"],
): Promise<boolean> {
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
