import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sql, type Transaction } from "kysely";
import { verifyLedger } from "../accounts/verify-ledger.ts";
import { auditKey } from "../audit/audit-chain.ts";
import { openAuditLog } from "../audit/audit.ts";
import { verifyAudit } from "../audit/verify-audit.ts";
import { migrateWithin } from "../database/migrate.ts";
import { MIGRATIONS } from "../migrations/list.ts";
import { pepperCheck } from "../secrets/assert-same-pepper.ts";
import type { Tables } from "../tables.ts";
import type { BackupLine, StoredRow } from "./format.ts";
import { readBackup, verifyBackup, type VerifiedBackup } from "./read-backup.ts";
import type { DatabasePlace, TableShape } from "./source.ts";
import { openBackupTarget, type BackupTarget } from "./target.ts";

interface RestoreInput {
  readonly path: string;
  readonly place: DatabasePlace;
  /** Undefined if there is no secret yet. */
  readonly pepper: Uint8Array | undefined;
  /** Where the backup's files go. */
  readonly filesIn: string;
  /** Replaces the tables of a database that has some. */
  readonly isReplacing: boolean;
  readonly now: number;
}

const NEWEST = Object.keys(MIGRATIONS).toSorted().at(-1) ?? "";
const AT_ONCE = 500;
const AUDIT_PAGE = 5_000;

/**
 * Restores a backup into a database without a gateway, after the whole file was verified. All
 * tables are written in one transaction, which is committed only if the ledger's sums and the
 * audit log's chain are right.
 */
export async function restoreBackup(input: RestoreInput): Promise<VerifiedBackup> {
  const backup = await verifyBackup(input.path);
  const { header, end } = backup;
  if (!(header.schema in MIGRATIONS)) {
    throw new Error(
      `The backup was written by version ${header.gateway}, whose schema ${header.schema} this ` +
        "version does not know. Restore it with that version or a newer one.",
    );
  }
  const pepper = assertSecret(header.secretCheck, input.pepper);
  await using target = await openBackupTarget(input.place);
  await target.db
    .transaction()
    .execute((transaction) => replaceTables(transaction, target, backup, input, pepper));
  if (end.files > 0) await writeFiles(input.path, input.filesIn);
  await noteRestore(target, backup, input.now, pepper);
  return backup;
}

function assertSecret(expected: string | null, pepper: Uint8Array | undefined): Uint8Array {
  if (pepper === undefined) {
    throw new Error(
      "There is no secret yet, and a backup does not contain one. Put the file `secret` of the " +
        "old data folder into the new one, or set SLUICE_SECRET to the old value.",
    );
  }
  if (expected === null || expected === pepperCheck(pepper)) return pepper;
  throw new Error(
    "The backup belongs to another secret: without it, its keys, passwords and credentials are " +
      "useless. Put the file `secret` of the old data folder into the new one, or set " +
      "SLUICE_SECRET to the old value.",
  );
}

async function replaceTables(
  transaction: Transaction<Tables>,
  target: BackupTarget,
  { header, end }: VerifiedBackup,
  { path, isReplacing }: RestoreInput,
  pepper: Uint8Array,
): Promise<void> {
  const existing = await target.tables(transaction);
  if (existing.length > 0 && !isReplacing) {
    throw new Error(
      "The database is not empty. Restore into another one, or give --replace to delete all that " +
        "it has.",
    );
  }
  await target.drop(transaction, existing);
  await migrateWithin(transaction, target.ddl, header.schema);
  await emptyTables(transaction, header.tables);
  await insertRows(transaction, target, header.tables, readBackup(path));
  await target.setCounters(transaction, end.counters);
  await target.checkReferences(transaction);
  await assertCounts(transaction, end.rows);
  await migrateWithin(transaction, target.ddl, NEWEST);
  await assertSound(transaction, pepper);
}

/** Some migrations write rows, such as the first user. */
async function emptyTables(
  transaction: Transaction<Tables>,
  tables: readonly TableShape[],
): Promise<void> {
  for (const { name } of tables.toReversed()) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(transaction);
    if (rows.length > 0) await sql`delete from ${sql.table(name)}`.execute(transaction);
  }
}

async function insertRows(
  transaction: Transaction<Tables>,
  target: BackupTarget,
  tables: readonly TableShape[],
  lines: AsyncIterable<BackupLine>,
): Promise<void> {
  let table: TableShape | undefined;
  let waiting: StoredRow[] = [];
  const flush = async (): Promise<void> => {
    if (table !== undefined) await target.insert(transaction, table, waiting);
    waiting = [];
  };
  for await (const line of lines) {
    if ("row" in line) {
      waiting.push(line.row);
      if (waiting.length >= AT_ONCE) await flush();
      continue;
    }
    await flush();
    if (!("table" in line)) break;
    table = tables.find(({ name }) => name === line.table);
  }
}

async function assertCounts(
  transaction: Transaction<Tables>,
  expected: Readonly<Record<string, number>>,
): Promise<void> {
  for (const [name, count] of Object.entries(expected)) {
    const { rows } = await sql<{ found: number }>`
      select count(*) as found from ${sql.table(name)}`.execute(transaction);
    if (rows[0]?.found !== count) {
      throw new Error(`Table ${name} got ${rows[0]?.found} rows instead of ${count}.`);
    }
  }
}

async function assertSound(transaction: Transaction<Tables>, pepper: Uint8Array): Promise<void> {
  const [violation] = await verifyLedger(transaction);
  if (violation !== undefined) {
    throw new Error(
      `The backup's ledger is inconsistent, so nothing was restored: ${violation.rule} ` +
        `(${violation.subject}).`,
    );
  }
  const key = auditKey(pepper);
  let after = 0;
  for (;;) {
    const { last, broken, isEnd } = await verifyAudit(transaction, key, after, AUDIT_PAGE);
    if (broken !== undefined) {
      throw new Error(
        `The backup's audit log is inconsistent, so nothing was restored: row ${broken.seq} ` +
          `${broken.problem}.`,
      );
    }
    after = last?.seq ?? 0;
    if (isEnd) return;
  }
}

/** Each gets its name when it is complete. */
async function writeFiles(path: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const unfinished = join(folder, `.restored-${randomUUID()}`);
  let current: { readonly file: string; readonly handle: FileHandle } | undefined;
  const finish = async (): Promise<void> => {
    if (current === undefined) return;
    const { file, handle } = current;
    current = undefined;
    await handle.sync();
    await handle.close();
    await mkdir(dirname(join(folder, file)), { recursive: true, mode: 0o700 });
    await rename(unfinished, join(folder, file));
  };
  try {
    for await (const line of readBackup(path)) {
      if ("piece" in line) await current?.handle.writeFile(Buffer.from(line.piece, "base64"));
      else await finish();
      if ("file" in line) {
        current = { file: line.file, handle: await open(unfinished, "wx", 0o600) };
      }
    }
  } finally {
    await current?.handle.close();
    await rm(unfinished, { force: true });
  }
}

async function noteRestore(
  target: BackupTarget,
  { header, end }: VerifiedBackup,
  now: number,
  pepper: Uint8Array,
): Promise<void> {
  await openAuditLog(target.db, pepper).write({
    at: now,
    actorId: null,
    actor: null,
    role: null,
    proof: "none",
    address: null,
    userAgent: null,
    requestId: `restore-${randomUUID()}`,
    action: "sluice restore",
    object: {},
    details: { backup_of: header.createdAt, sha256: end.sha256 },
    outcome: "done",
    status: null,
  });
}
