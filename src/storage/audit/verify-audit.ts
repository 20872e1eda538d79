import type { Kysely } from "kysely";
import type { AuditAnchor, AuditCheck } from "#core/audit.ts";
import { BEGINNING, findBreak } from "./audit-chain.ts";
import type { Tables } from "../tables.ts";

/**
 * Verifies at most `limit` rows after `afterSeq`. That row is read again and
 * trusted: it is the last row of the previous page.
 */
export async function verifyAudit(
  db: Kysely<Tables>,
  key: Uint8Array,
  afterSeq: number,
  limit: number,
): Promise<AuditCheck> {
  // Starts at the row itself, so that a second row with its number is found.
  let select = db
    .selectFrom("audit")
    .selectAll()
    .orderBy("seq")
    .limit(limit + 1);
  if (afterSeq > 0) select = select.where("seq", ">=", afterSeq);
  const rows = await select.execute();

  let last: AuditAnchor = BEGINNING;
  if (afterSeq > 0) {
    const before = rows.shift();
    if (before?.seq !== afterSeq) {
      return { last: undefined, broken: { seq: afterSeq, problem: "is missing" }, isEnd: false };
    }
    last = before;
  }
  const isEnd = rows.length < (afterSeq > 0 ? limit : limit + 1);
  const anchor = (): AuditAnchor | undefined =>
    last.seq === 0 ? undefined : { seq: last.seq, digest: last.digest };
  for (const row of rows) {
    const broken = findBreak(row, last, key);
    if (broken !== undefined) return { last: anchor(), broken, isEnd: false };
    last = row;
  }
  return { last: anchor(), broken: undefined, isEnd };
}

export async function readHead(db: Kysely<Tables>): Promise<AuditAnchor | undefined> {
  return await db
    .selectFrom("audit")
    .select(["seq", "digest"])
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** The digest of a row; undefined if the row does not exist. */
export async function findDigest(db: Kysely<Tables>, seq: number): Promise<string | undefined> {
  const row = await db
    .selectFrom("audit")
    .select("digest")
    .where("seq", "=", seq)
    .executeTakeFirst();
  return row?.digest;
}
