import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Config, type ConfigInput, loadConfig } from "#config.ts";
import { findPepper } from "#storage/secrets/secrets.ts";

interface BackupInput extends ConfigInput {
  /** The arguments after the command. */
  readonly words: readonly string[];
  readonly output: { write(text: string): unknown };
  readonly errors: { write(text: string): unknown };
  /** Version of this gateway. */
  readonly version: string;
}

export const BACKUP_ROWS = [
  [
    "backup <file> [--files] [--json]",
    "writes the database to a file, also while gateways run; --files: and the media folder",
  ],
] as const;
export const RESTORE_ROWS = [
  [
    "restore <file> [--replace] [--check] [--json]",
    "restores a backup, with no gateway running; --check: only verifies the file; --replace: deletes what the database has",
  ],
] as const;

class Misused extends Error {}

/** `sluice backup FILE`. Returns 0, 1 if it failed, or 2 for invalid arguments. */
export async function backup(input: BackupInput): Promise<0 | 1 | 2> {
  return await report(input, ["files"], "backup <file> [--files] [--json]", async (path, has) => {
    const { settings } = loadConfig(input);
    const { writeBackup } = await import("#storage/backup/write-backup.ts");
    const end = await writeBackup({
      place: databaseIn(settings),
      path,
      gateway: input.version,
      now: Date.now(),
      ...(has("files") ? { filesIn: mediaIn(settings) } : {}),
    });
    const text =
      `Backup written: ${total(end.rows)} rows, ${end.files} files, SHA-256 ${end.sha256}.\n` +
      `The secret is not in it: keep ${describeSecret(settings)} in another safe place.`;
    return { text, json: { file: path, ...summary(end) } };
  });
}

/** `sluice restore FILE`. Returns 0, 1 if it failed, or 2 for invalid arguments. */
export async function restore(input: BackupInput): Promise<0 | 1 | 2> {
  const usage = "restore <file> [--replace] [--check] [--json]";
  return await report(input, ["replace", "check"], usage, async (path, has) => {
    const { settings } = loadConfig(input);
    const { dataDir, secret } = settings;
    const { verifyBackup } = await import("#storage/backup/read-backup.ts");
    const { restoreBackup } = await import("#storage/backup/restore-backup.ts");
    const { header, end } = has("check")
      ? await verifyBackup(path)
      : await restoreBackup({
          path,
          place: databaseIn(settings),
          pepper: findPepper(dataDir, secret?.open()),
          filesIn: mediaIn(settings),
          isReplacing: has("replace"),
          now: Date.now(),
        });
    const done = has("check")
      ? "The backup is complete and unchanged"
      : "Restored and verified, with the ledger's sums and the audit log";
    const text =
      `${done}: ${total(end.rows)} rows and ${end.files} files of ${header.createdAt}, from ` +
      `${header.engine} with version ${header.gateway}.`;
    const { gateway, schema, engine, createdAt } = header;
    const json = { file: path, gateway, schema, engine, created_at: createdAt, ...summary(end) };
    return { text, json };
  });
}

async function report(
  { words, output, errors }: BackupInput,
  flags: readonly string[],
  usage: string,
  run: (
    path: string,
    has: (flag: string) => boolean,
  ) => Promise<{ readonly text: string; readonly json: object }>,
): Promise<0 | 1 | 2> {
  try {
    const { path, has } = read(words, flags);
    const { text, json } = await run(path, has);
    output.write(has("json") ? `${JSON.stringify(json)}\n` : `${text}\n`);
    return 0;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    errors.write(cause instanceof Misused ? `${why}\nUsage: sluice ${usage}\n` : `${why}\n`);
    return cause instanceof Misused ? 2 : 1;
  }
}

function read(
  words: readonly string[],
  flags: readonly string[],
): { readonly path: string; has(flag: string): boolean } {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: Object.fromEntries(
        [...flags, "json"].map((name) => [name, { type: "boolean" } as const]),
      ),
    });
    const [path, ...others] = positionals;
    if (path === undefined || others.length > 0) throw new Misused("Give one file.");
    return { path, has: (flag) => values[flag] === true };
  } catch (cause) {
    if (cause instanceof Misused) throw cause;
    throw new Misused(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function databaseIn({ dataDir, databaseUrl }: Config["settings"]) {
  return { dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl: databaseUrl.open() }) };
}

function mediaIn({ dataDir }: Config["settings"]): string {
  return join(dataDir, "media");
}

function describeSecret({ dataDir, secret }: Config["settings"]): string {
  return secret === undefined ? join(dataDir, "secret") : "SLUICE_SECRET";
}

function total(rows: Readonly<Record<string, number>>): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

function summary({
  rows,
  files,
  sha256,
}: {
  readonly rows: Readonly<Record<string, number>>;
  readonly files: number;
  readonly sha256: string;
}) {
  return { rows, files, sha256 };
}
