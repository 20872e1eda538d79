import type { Kysely, Transaction } from "kysely";
import type { AuditAnchor, AuditEntry, AuditLog } from "#core/audit.ts";
import { GatewayError } from "#core/error.ts";
import { auditKey, BEGINNING, linkRow } from "./audit-chain.ts";
import type { Tables } from "../tables.ts";
import { auditColumns, toAuditRow } from "../tables/audit.ts";
import { readHead, verifyAudit } from "./verify-audit.ts";

interface Waiting {
  readonly entry: AuditEntry;
  done(): void;
  refuse(cause: GatewayError): void;
}

const MAX_QUEUE = 1_000;
const MAX_BATCH = 100;
const MAX_PAGE = 1_000;
/** Rows per verification step, because new rows may have to wait for it. */
const VERIFIED_AT_ONCE = 500;
/** The row that every writer of the chain updates first, to serialise the writers. */
const LOCK = "audit";

/**
 * One chain for all gateways of a database. Rows that arrive during a write
 * share the next commit.
 */
export function openAuditLog(db: Kysely<Tables>, pepper: Uint8Array): AuditLog {
  const key = auditKey(pepper);
  const queue: Waiting[] = [];
  let isWriting = false;

  return {
    write(entry) {
      if (queue.length >= MAX_QUEUE) return Promise.reject(unavailable());
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      queue.push({ entry, done: resolve, refuse: reject });
      if (!isWriting) void drain();
      return promise;
    },

    async list({ actorId, action, since, until, before, limit }) {
      let select = db
        .selectFrom("audit")
        .selectAll()
        .orderBy("seq", "desc")
        .limit(Math.min(limit, MAX_PAGE));
      if (actorId !== undefined) select = select.where("actor_id", "=", actorId);
      if (action !== undefined) select = select.where("action", "=", action);
      if (before !== undefined) select = select.where("seq", "<", before);
      // Timestamps never decrease along the chain, so a time range is a range of rows.
      if (since !== undefined) {
        const first = db.selectFrom("audit").select("seq").where("at", ">=", since);
        select = select.where("seq", ">=", first.orderBy("at").orderBy("seq").limit(1));
      }
      if (until !== undefined) {
        const last = db.selectFrom("audit").select("seq").where("at", "<=", until);
        select = select.where(
          "seq",
          "<=",
          last.orderBy("at", "desc").orderBy("seq", "desc").limit(1),
        );
      }
      return (await select.execute()).map(toAuditRow);
    },

    head: () => readHead(db),
    verify: (afterSeq) => verifyAudit(db, key, afterSeq, VERIFIED_AT_ONCE),
  };

  async function drain(): Promise<void> {
    isWriting = true;
    while (queue.length > 0) {
      const batch = queue.splice(0, MAX_BATCH);
      try {
        await append(batch.map(({ entry }) => entry));
        for (const each of batch) each.done();
      } catch (cause) {
        for (const each of batch) each.refuse(unavailable(cause));
      }
    }
    isWriting = false;
  }

  async function append(entries: readonly AuditEntry[]): Promise<void> {
    await db.transaction().execute(async (transaction) => {
      await enterAlone(transaction);
      let last: AuditAnchor & { at: number } = await findLast(transaction);
      const rows = entries.map((entry) => {
        const row = linkRow(auditColumns(entry), last, key);
        last = row;
        return row;
      });
      await transaction.insertInto("audit").values(rows).execute();
    });
  }
}

/** An updated row stays locked until the transaction ends, so other writers wait here. */
async function enterAlone(transaction: Transaction<Tables>): Promise<void> {
  await transaction
    .insertInto("meta")
    .values({ key: LOCK, value: "" })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value: "" }))
    .execute();
}

async function findLast(transaction: Transaction<Tables>): Promise<AuditAnchor & { at: number }> {
  const last = await transaction
    .selectFrom("audit")
    .select(["seq", "digest", "at"])
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return last ?? { ...BEGINNING, at: 0 };
}

function unavailable(cause?: unknown): GatewayError {
  return new GatewayError(
    "unavailable",
    "The audit log cannot be written, so the action was not done. Retry later.",
    { cause, retryAfterMs: 1_000 },
  );
}
