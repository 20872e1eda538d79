import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { FORMAT, FORMAT_VERSION, type BackupEnd, type BackupHeader } from "./format.ts";
import { openBackupSource, type BackupSource, type DatabasePlace } from "./source.ts";

interface BackupInput {
  readonly place: DatabasePlace;
  readonly path: string;
  /** Version of the gateway. */
  readonly gateway: string;
  /** This folder is included with all its files. */
  readonly filesIn?: string;
  readonly now: number;
}

const PIECE_BYTES = 48 * 1024;

/** Writes a file that is complete as soon as it has its name. */
export async function writeBackup({ path, ...input }: BackupInput): Promise<BackupEnd> {
  await using source = await openBackupSource(input.place);
  const unfinished = `${path}.unfinished`;
  try {
    const end: { value?: BackupEnd } = {};
    // A backup has digests of passwords and every user's name: only its owner may read it.
    const file = createWriteStream(unfinished, { mode: 0o600, flags: "wx" });
    const lines = Readable.from(writeLines(source, input, end));
    await pipeline(lines, createGzip(), file);
    await syncToDisk(unfinished);
    await rename(unfinished, path);
    if (end.value === undefined) throw new Error("The backup has no end.");
    return end.value;
  } catch (cause) {
    const isOthers = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    if (!isOthers) await rm(unfinished, { force: true });
    throw cause;
  }
}

async function* writeLines(
  source: BackupSource,
  input: Omit<BackupInput, "path">,
  end: { value?: BackupEnd },
): AsyncGenerator<string> {
  const hash = createHash("sha256");
  for await (const lines of contentOf(source, input, end)) {
    hash.update(lines);
    yield lines;
  }
  if (end.value === undefined) return;
  end.value = { ...end.value, sha256: hash.digest("hex") };
  yield lineOf(end.value);
}

async function* contentOf(
  source: BackupSource,
  { gateway, filesIn, now }: Omit<BackupInput, "path">,
  end: { value?: BackupEnd },
): AsyncGenerator<string> {
  const { engine, schema, secretCheck, tables } = source;
  yield lineOf({
    format: FORMAT,
    version: FORMAT_VERSION,
    gateway,
    schema,
    engine,
    createdAt: new Date(now).toISOString(),
    secretCheck,
    tables: [...tables],
  } satisfies BackupHeader);

  const counts: Record<string, number> = {};
  for (const table of tables) {
    yield lineOf({ table: table.name });
    counts[table.name] = 0;
    for await (const rows of source.rows(table)) {
      counts[table.name] = (counts[table.name] ?? 0) + rows.length;
      if (rows.length > 0) yield rows.map(lineOf).join("");
    }
  }
  const counters = await source.counters();
  let files = 0;
  // After the rows: a file that a row names exists then, unless it was removed meanwhile.
  for await (const path of filesIn === undefined ? [] : filesBelow(filesIn)) {
    const written = writeFileLines(filesIn ?? "", path);
    for await (const lines of written) yield lines;
    files++;
  }
  end.value = { end: true, rows: counts, counters, files, sha256: "" };
}

async function* filesBelow(folder: string): AsyncGenerator<string> {
  let entries;
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return;
    throw cause;
  }
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    // Names with a full stop in front are of incomplete files.
    if (entry.name.startsWith(".")) continue;
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

/** Nothing for a file that has been removed meanwhile. */
async function* writeFileLines(folder: string, path: string): AsyncGenerator<string> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return;
  const file = relative(folder, path).replaceAll("\\", "/");
  yield lineOf({ file, sizeBytes: found.size });
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
    yield lineOf({ piece: (piece as Buffer).toString("base64") });
  }
}

function lineOf(json: unknown): string {
  return `${JSON.stringify(json)}\n`;
}

async function syncToDisk(path: string): Promise<void> {
  await using file = await open(path, "r");
  await file.sync();
}
