import type { Kysely, RawBuilder } from "kysely";
import { z } from "zod";
import type { GatewayFacts, GatewayFactsStore } from "#core/alert.ts";
import { FAULTS, type FaultCode } from "#core/error.ts";
import { parseJson } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import type { Tables } from "../tables.ts";

interface FactsStoreDeps {
  readonly db: Kysely<Tables>;
  /** Unix ms from the clock that all gateways of the database share. */
  sharedNow(): RawBuilder<number>;
}

/** Facts of gateways that ended are deleted after this time. */
const KEPT_MS = 3_600_000;
const MAX_GATEWAYS = 1_000;

export function createGatewayFacts({ db, sharedNow }: FactsStoreDeps): GatewayFactsStore {
  return {
    async write(facts) {
      const row = { at: sharedNow(), facts: JSON.stringify(facts) };
      await db
        .insertInto("gateway_facts")
        .values({ instance: facts.instance, ...row })
        .onConflict((conflict) => conflict.column("instance").doUpdateSet(row))
        .execute();
      await db
        .deleteFrom("gateway_facts")
        .where(({ eb }) => eb("at", "<", eb(sharedNow(), "-", KEPT_MS)))
        .execute();
    },

    async read(ms) {
      const rows = await db
        .selectFrom("gateway_facts")
        .select("facts")
        .where(({ eb }) => eb("at", ">=", eb(sharedNow(), "-", ms)))
        .orderBy("instance")
        .limit(MAX_GATEWAYS)
        .execute();
      return rows.flatMap(({ facts }) => readFacts(facts) ?? []);
    },

    async delete(instance) {
      await db.deleteFrom("gateway_facts").where("instance", "=", instance).execute();
    },
  };
}

const FAILURE = z
  .object({
    since: z.number(),
    code: z.custom<FaultCode>((code) => typeof code === "string" && code in FAULTS),
    credential: z.string(),
    status: z.number().optional(),
    reason: z.string(),
  })
  .transform(({ status, ...failure }) => ({ ...failure, status }));

const CHANNEL_TROUBLES = z
  .object({
    refusals: z.array(FAILURE),
    lastFailure: FAILURE.optional(),
    cooldownUntil: z.number().optional(),
    openUntil: z.number().optional(),
  })
  .transform(({ refusals, lastFailure, cooldownUntil, openUntil }) => ({
    refusals,
    lastFailure,
    cooldownUntil,
    openUntil,
  }));

const FACTS = z.object({
  instance: z.string(),
  troubles: z.record(z.string(), CHANNEL_TROUBLES),
  unpriced: z.array(z.object({ model: z.string(), at: z.number() })),
  isSimulated: z.boolean(),
  jobs: z.array(z.object({ name: z.string(), failures: z.number(), since: z.number() })),
  redisDownSince: z.number().optional(),
  certificates: z.array(z.object({ host: z.string(), endsAt: z.number() })),
  secrets: z.record(z.string(), z.string()),
  guesses: z.array(z.object({ address: z.string(), failures: z.number(), at: z.number() })),
});

/** Undefined for facts of another version in a form that this one does not know. */
function readFacts(text: string): GatewayFacts | undefined {
  const read = FACTS.safeParse(parseJson(text)).data;
  if (read === undefined) return undefined;
  const { redisDownSince, ...facts } = read;
  return { ...facts, ...defined({ redisDownSince }) };
}
