import { z } from "zod";

/**
 * A backup is a gzip file of lines of JSON: a header; for each table its name and then a row a
 * line; for each file its name and then its bytes in base64; and an end with counts and a digest.
 * Both engines store only texts, integers and bytes, so one form serves both.
 */
export const FORMAT = "sluice-backup";
/** Raised if an older gateway could not read the file. */
export const FORMAT_VERSION = 1;

/**
 * Running gateways, and logins: with a restored login, someone who had logged out would be logged
 * in again.
 */
export const LEFT_OUT: readonly string[] = ["instances", "sessions"];

/** A value of a column; bytes are an object with base64. */
const value = z.union([z.string(), z.int(), z.null(), z.strictObject({ bytes: z.base64() })]);
export type StoredValue = z.infer<typeof value>;
export type StoredRow = readonly StoredValue[];

const name = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/);

const header = z.object({
  format: z.literal(FORMAT),
  version: z.int().positive(),
  /** Version of the gateway that wrote the file. */
  gateway: z.string(),
  /** The newest migration of the database. */
  schema: z.string(),
  engine: z.enum(["sqlite", "postgres"]),
  createdAt: z.iso.datetime(),
  /** Shows if another secret is in use; the secret cannot be derived from it. */
  secretCheck: z.string().nullable(),
  /** In an order in which each table follows those that it refers to. */
  tables: z.array(z.object({ name, columns: z.array(name) })),
});
export type BackupHeader = z.infer<typeof header>;

const tableStart = z.strictObject({ table: name });
/** Relative, below the media folder, and without a step upwards. */
const fileStart = z.strictObject({
  file: z.string().regex(/^(?!.*(?:^|\/)\.\.?(?:\/|$))[^/\0][^\0]*$/),
  sizeBytes: z.int().nonnegative(),
});
const piece = z.strictObject({ piece: z.base64() });

const end = z.strictObject({
  end: z.literal(true),
  /** Rows of each table. */
  rows: z.record(name, z.int().nonnegative()),
  /** The last value that each table's counter has given. */
  counters: z.record(name, z.int().nonnegative()),
  files: z.int().nonnegative(),
  /** SHA-256 of all lines before this one, in hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type BackupEnd = z.infer<typeof end>;

export type BackupLine =
  | { readonly table: string }
  | { readonly row: StoredRow }
  | z.infer<typeof fileStart>
  | z.infer<typeof piece>
  | BackupEnd;

export function readHeader(json: unknown): BackupHeader {
  const read = header.safeParse(json);
  if (!read.success) throw new Error("The file is no backup of Sluice.");
  if (read.data.version > FORMAT_VERSION) {
    throw new Error(
      `The backup has format ${read.data.version}, and this version of Sluice reads up to ` +
        `${FORMAT_VERSION}: restore it with version ${read.data.gateway} or a newer one.`,
    );
  }
  return read.data;
}

const others = z.union([tableStart, fileStart, piece, end]);

export function readLine(json: unknown): BackupLine {
  // Rows are by far the most lines, so they are checked without a schema.
  if (Array.isArray(json)) {
    if (!json.every(isValue)) throw new Error("A row of the backup has an unknown kind of value.");
    return { row: json };
  }
  const read = others.safeParse(json);
  if (!read.success) throw new Error("The backup has a line that this version cannot read.");
  return read.data;
}

function isValue(one: unknown): one is StoredValue {
  return (
    typeof one === "string" ||
    one === null ||
    Number.isSafeInteger(one) ||
    (typeof one === "object" && value.safeParse(one).success)
  );
}
