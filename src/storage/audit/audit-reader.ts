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
  /** The configured secret; otherwise the one that the first start created. */
  readonly secret?: string;
}

/** Reads the audit log from the database, for a command with or without a running gateway. */
export interface AuditReader extends AsyncDisposable {
  verify(afterSeq: number): Promise<AuditCheck>;
  /** The digest of a row; undefined if the row does not exist. */
  findDigest(seq: number): Promise<string | undefined>;
}

const PAGE = 5_000;

/** Throws if there is no database, or no secret to check its digests. */
export function openAuditReader(options: AuditReaderOptions): AuditReader {
  const { dataDir, databaseUrl, secret } = options;
  const pepper = findPepper(dataDir, secret);
  if (pepper === undefined) {
    throw new Error(
      `No secret found: ${dataDir} has no secret file, and SLUICE_SECRET is not set.`,
    );
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
