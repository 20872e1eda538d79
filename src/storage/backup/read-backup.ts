import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import {
  readHeader,
  readLine,
  type BackupEnd,
  type BackupHeader,
  type BackupLine,
} from "./format.ts";

const LINE_FEED = 0x0a;
/** Far above the longest stored value, which is an answer that is kept for its idempotency key. */
const MAX_LINE_BYTES = 512 * 1024 * 1024;

export interface VerifiedBackup {
  readonly header: BackupHeader;
  readonly end: BackupEnd;
}

/** Reads all of a backup once: it is complete, unchanged, and every line of it can be read. */
export async function verifyBackup(path: string): Promise<VerifiedBackup> {
  const hash = createHash("sha256");
  let header: BackupHeader | undefined;
  let end: BackupEnd | undefined;
  const rows: Record<string, number> = {};
  let files = 0;
  let missingBytes = 0;
  let columns = 0;
  let table = "";
  for await (const bytes of linesOf(path)) {
    if (end !== undefined) throw damaged("it has lines after its end");
    const json = parse(bytes);
    if (header === undefined) {
      header = readHeader(json);
      hash.update(bytes);
      continue;
    }
    const line = readLine(json);
    if ("end" in line) {
      end = line;
      continue;
    }
    hash.update(bytes);
    if ("row" in line) {
      if (line.row.length !== columns) throw damaged(`a row of ${table} is incomplete`);
      rows[table] = (rows[table] ?? 0) + 1;
    } else if ("table" in line) {
      const shape = header.tables.find(({ name }) => name === line.table);
      if (shape === undefined) throw damaged(`it has a table that its header lacks`);
      table = line.table;
      columns = shape.columns.length;
      rows[table] = 0;
    } else if ("file" in line) {
      if (missingBytes !== 0) throw damaged("a file in it is incomplete");
      missingBytes = line.sizeBytes;
      files++;
    } else {
      missingBytes -= Buffer.byteLength(line.piece, "base64");
    }
  }
  if (header === undefined || end === undefined) throw damaged("it is incomplete");
  if (missingBytes !== 0) throw damaged("a file in it is incomplete");
  if (hash.digest("hex") !== end.sha256) throw damaged("its digest differs");
  const isCounted = header.tables.every(({ name }) => rows[name] === end.rows[name]);
  if (!isCounted || files !== end.files) throw damaged("its counts differ");
  return { header, end };
}

/** The lines after the header. */
export async function* readBackup(path: string): AsyncGenerator<BackupLine> {
  let isHeader = true;
  for await (const bytes of linesOf(path)) {
    if (!isHeader) yield readLine(parse(bytes));
    isHeader = false;
  }
}

/** Each with its line feed. */
async function* linesOf(path: string): AsyncGenerator<Buffer> {
  const unpacked = createReadStream(path).on("error", (cause) => gunzip.destroy(cause));
  const gunzip = createGunzip();
  let rest: Buffer[] = [];
  let restBytes = 0;
  try {
    for await (const chunk of unpacked.pipe(gunzip)) {
      const bytes: Buffer = chunk;
      let start = 0;
      for (;;) {
        const at = bytes.indexOf(LINE_FEED, start);
        if (at < 0) break;
        yield Buffer.concat([...rest, bytes.subarray(start, at + 1)]);
        rest = [];
        restBytes = 0;
        start = at + 1;
      }
      rest.push(bytes.subarray(start));
      restBytes += bytes.length - start;
      if (restBytes > MAX_LINE_BYTES) throw damaged("it has a line that is too long");
    }
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    if (code.startsWith("Z_") || code.startsWith("ERR_")) {
      throw damaged("it cannot be unpacked", cause);
    }
    throw cause;
  } finally {
    unpacked.destroy();
  }
  if (restBytes > 0) throw damaged("it is incomplete");
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw damaged("a line is no JSON", cause);
  }
}

function damaged(why: string, cause?: unknown): Error {
  return new Error(`The backup is damaged: ${why}. Nothing was restored.`, { cause });
}
