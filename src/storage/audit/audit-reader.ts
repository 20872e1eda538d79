import { Kysely, PostgresDialect } from "kysely";
import type { AuditCheck } from "#core/audit.ts";
import { auditKey } from "./audit-chain.ts";
import { openPool } from "../postgres/pool.ts";
import { findPepper } from "../secrets/secrets.ts";
import { openSqliteReader } from "../sqlite/open.ts";
import type { Tables } from "../tables.ts";
import { findDigest, verifyAudit } from "./verify-audit.ts";

interface AuditReaderOptions {
  readonly dataDir: string;
  readonly databaseUrl?: string;
  /** As configured; otherwise the one that the first start made. */
  readonly secret?: string;
}

/** The audit log as it stands in the database, for a command beside a gateway or without one. */
export interface AuditReader extends AsyncDisposable {
  verify(afterSeq: number): Promise<AuditCheck>;
  /** Of a row; undefined where there is none. */
  findDigest(seq: number): Promise<string | undefined>;
}

const PAGE = 5_000;

/** Throws where there is no database, or no secret to check its digests with. */
export function openAuditReader(options: AuditReaderOptions): AuditReader {
  const { dataDir, databaseUrl, secret } = options;
  const pepper = findPepper(dataDir, secret);
  if (pepper === undefined) {
    throw new Error(`There is no secret in ${dataDir}, and SLUICE_SECRET is not set.`);
  }
  const key = auditKey(pepper);
  const db = databaseUrl === undefined ? openSqliteReader(dataDir) : openPostgres(databaseUrl);
  return {
    verify: (afterSeq) => verifyAudit(db, key, afterSeq, PAGE),
    findDigest: (seq) => findDigest(db, seq),
    [Symbol.asyncDispose]: () => db.destroy(),
  };
}

function openPostgres(url: string): Kysely<Tables> {
  const pool = openPool(url, { max: 1, isBounded: true, onError: () => {} });
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}
