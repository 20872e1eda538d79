import { createHash } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** A file of the site. */
export interface SiteFile {
  /** The path below /docs/. */
  readonly name: string;
  readonly type: string;
  readonly content: string | Uint8Array;
}

interface PackedFile {
  readonly name: string;
  readonly type: string;
  readonly etag: string;
  /** Offset and length after the first line. */
  readonly gzip?: readonly [number, number];
  /** Only if the file does not get smaller. */
  readonly identity?: readonly [number, number];
}

/**
 * Writes one file for the gateway to serve: a line of JSON that lists the files, then their bytes.
 * Texts are stored compressed alone: the few clients that take no compression wait for its reversal.
 */
export function writePack(
  path: string,
  files: readonly SiteFile[],
  head: Readonly<Record<string, unknown>>,
): void {
  const parts: Uint8Array[] = [];
  let offset = 0;
  const listed = files.map(({ name, type, content }): PackedFile => {
    const bytes = Buffer.from(content);
    const compressed = gzipSync(bytes, { level: 9 });
    const isSmaller = compressed.length < bytes.length;
    const stored = isSmaller ? compressed : bytes;
    parts.push(stored);
    offset += stored.length;
    const span = [offset - stored.length, stored.length] as const;
    const etag = createHash("sha256").update(bytes).digest("base64url").slice(0, 16);
    return { name, type, etag, ...(isSmaller ? { gzip: span } : { identity: span }) };
  });
  const line = Buffer.from(`${JSON.stringify({ ...head, files: listed })}\n`);
  // Other processes may read the pack meanwhile.
  const written = `${path}.${process.pid}`;
  writeFileSync(written, Buffer.concat([line, ...parts]));
  renameSync(written, path);
}
