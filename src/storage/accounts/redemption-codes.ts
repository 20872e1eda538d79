import type { Kysely } from "kysely";
import { GatewayError } from "#core/error.ts";
import {
  CODE_BYTES,
  readCode,
  writeCode,
  type CodeBatch,
  type RedemptionCodes,
} from "#core/redemption-code.ts";
import type { Clock } from "#lib/clock.ts";
import { randomBytes } from "#lib/ids.ts";
import { defined } from "#lib/values.ts";
import { digester } from "../secrets/secrets.ts";
import type { Tables } from "../tables.ts";
import type { Grants } from "./grants.ts";

interface RedemptionDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly pepper: Uint8Array;
  readonly grants: Grants;
}

const PAGE = 100;
/** Rows of one insert: both engines limit the parameters of a statement. */
const ROWS = 1_000;
const MAX_UNUSED = 1_000_000;

export function createRedemptionCodes({
  db,
  clock,
  pepper,
  grants,
}: RedemptionDeps): RedemptionCodes {
  const digest = digester(pepper);
  const digestOf = (code: string): string => digest(`redemption code:${readCode(code) ?? ""}`);

  return {
    async create({ amount, count, createdBy, note, expiresAt }) {
      const codes = Array.from({ length: count }, () => writeCode(randomBytes(CODE_BYTES)));
      const batch = {
        amount,
        codes: count,
        note: note ?? null,
        created_by: createdBy,
        created_at: clock.now(),
        expires_at: expiresAt ?? null,
      };
      const id = await db.transaction().execute(async (transaction) => {
        await requirePlace(transaction, count);
        const inserted = await transaction
          .insertInto("code_batches")
          .values(batch)
          .returning("id")
          .executeTakeFirstOrThrow();
        for (let from = 0; from < count; from += ROWS) {
          const rows = codes.slice(from, from + ROWS).map((code) => ({
            batch_id: inserted.id,
            digest: digestOf(code),
          }));
          await transaction.insertInto("codes").values(rows).execute();
        }
        return inserted.id;
      });
      return { id, codes };
    },

    async find(id) {
      const row = await batches().where("code_batches.id", "=", id).executeTakeFirst();
      return row && toBatch(row);
    },

    async list({ after, limit }) {
      const rows = await batches()
        .where("code_batches.id", ">", after)
        .orderBy("code_batches.id")
        .limit(Math.min(limit, PAGE))
        .execute();
      return rows.map(toBatch);
    },

    async codes(batchId, { after, limit, isRedeemed }) {
      let select = db
        .selectFrom("codes")
        .leftJoin("users", "users.id", "codes.redeemed_by")
        .select(["codes.id", "codes.redeemed_by", "codes.redeemed_at", "users.name"])
        .where("codes.batch_id", "=", batchId)
        .where("codes.id", ">", after);
      if (isRedeemed !== undefined) {
        select = select.where("codes.redeemed_at", isRedeemed ? "is not" : "is", null);
      }
      const rows = await select.orderBy("codes.id").limit(Math.min(limit, PAGE)).execute();
      return rows.map((row) => ({
        id: row.id,
        ...(row.redeemed_by === null
          ? {}
          : { redeemedBy: { id: row.redeemed_by, name: row.name ?? "" } }),
        ...(row.redeemed_at === null ? {} : { redeemedAt: row.redeemed_at }),
      }));
    },

    async revoke(id) {
      const { numUpdatedRows } = await db
        .updateTable("code_batches")
        .set({ revoked_at: clock.now() })
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },

    async redeem(code, userId) {
      if (readCode(code) === undefined) return undefined;
      const now = clock.now();
      return await grants.transaction(async ({ db: transaction, add }) => {
        const found = await markRedeemed(transaction, digestOf(code), userId, now);
        if (found === undefined) return undefined;
        const { id, batch_id, amount } = found;
        await add(`user:${userId}`, amount, `redeem:${id}`, `redemption code of batch ${batch_id}`);
        return amount;
      });
    },

    async prune(before, limit) {
      const ended = db
        .selectFrom("codes")
        .innerJoin("code_batches", "code_batches.id", "codes.batch_id")
        .select("codes.id")
        .where("codes.redeemed_at", "is", null)
        .where(({ or, eb }) =>
          or([
            eb("code_batches.expires_at", "<", before),
            eb("code_batches.revoked_at", "<", before),
          ]),
        )
        .limit(limit);
      const { numDeletedRows } = await db
        .deleteFrom("codes")
        .where("id", "in", ended)
        .where("redeemed_at", "is", null)
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };

  function batches() {
    return db
      .selectFrom("code_batches")
      .innerJoin("users", "users.id", "code_batches.created_by")
      .selectAll("code_batches")
      .select(["users.name as creator"])
      .select(({ selectFrom }) =>
        selectFrom("codes")
          .select(({ fn, cast }) => cast<number>(fn.countAll(), "bigint").as("count"))
          .whereRef("codes.batch_id", "=", "code_batches.id")
          .where("codes.redeemed_at", "is not", null)
          .as("redeemed"),
      );
  }
}

/** Of simultaneous uses, only one updates the row: the others wait for its transaction. */
async function markRedeemed(db: Kysely<Tables>, digest: string, userId: number, now: number) {
  const code = await db
    .updateTable("codes")
    .set({ redeemed_by: userId, redeemed_at: now })
    .where("digest", "=", digest)
    .where("redeemed_at", "is", null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("code_batches")
          .select("code_batches.id")
          .whereRef("code_batches.id", "=", "codes.batch_id")
          .where("code_batches.revoked_at", "is", null)
          .where(({ or, eb }) =>
            or([
              eb("code_batches.expires_at", "is", null),
              eb("code_batches.expires_at", ">", now),
            ]),
          ),
      ),
    )
    .returning(["id", "batch_id"])
    .executeTakeFirst();
  if (code === undefined) return undefined;
  const { amount } = await db
    .selectFrom("code_batches")
    .select("amount")
    .where("id", "=", code.batch_id)
    .executeTakeFirstOrThrow();
  return { ...code, amount };
}

async function requirePlace(db: Kysely<Tables>, added: number): Promise<void> {
  const { count } = await db
    .selectFrom("codes")
    .select(({ fn, cast }) => cast<number>(fn.countAll(), "bigint").as("count"))
    .where("redeemed_at", "is", null)
    .executeTakeFirstOrThrow();
  if (Number(count) + added <= MAX_UNUSED) return;
  throw new GatewayError("invalid_request", `The limit of ${MAX_UNUSED} unused codes is reached.`);
}

type BatchRow = Omit<Tables["code_batches"], "id"> & {
  readonly id: number;
  readonly creator: string;
  readonly redeemed: number | null;
};

function toBatch(row: BatchRow): CodeBatch {
  return {
    id: row.id,
    amount: row.amount,
    count: row.codes,
    redeemed: Number(row.redeemed),
    createdBy: row.created_by,
    creator: row.creator,
    createdAt: row.created_at,
    ...defined({
      note: row.note ?? undefined,
      expiresAt: row.expires_at ?? undefined,
      revokedAt: row.revoked_at ?? undefined,
    }),
  };
}
