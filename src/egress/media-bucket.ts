import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { GatewayError } from "#core/error.ts";
import type { MediaStore } from "#core/kept-media.ts";
import { writeFile } from "#lib/write-file.ts";

interface Bucket {
  readonly name: string;
  /** Defaults to the vendor's endpoint of the region. */
  readonly endpoint: string | undefined;
  readonly region: string;
  openKey(): { readonly id: string; readonly secret: string };
}

interface BucketOptions {
  /** For files before their upload: a file must be complete and counted before it is sent. */
  readonly folder: string;
  /**
   * Limit between two chunks of a response, and for each request without a
   * body; read each time.
   */
  readonly idleMs: number;
}

/** Assumed minimum speed of a connection; below it the server counts as dead. */
const SLOWEST_BYTES_A_MS = 64;

/** Copies in a bucket of any S3-compatible store. */
export function openMediaBucket(bucket: Bucket, options: BucketOptions): MediaStore {
  const { folder } = options;
  const { id, secret } = bucket.openKey();
  const client = new Bun.S3Client({
    bucket: bucket.name,
    region: bucket.region,
    accessKeyId: id,
    secretAccessKey: secret,
    ...(bucket.endpoint === undefined ? {} : { endpoint: bucket.endpoint }),
  });
  return {
    async put(path, bytes, mediaType) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const held = join(folder, randomUUID());
      try {
        const stored = await writeFile(held, bytes);
        const longest = options.idleMs + stored.sizeBytes / SLOWEST_BYTES_A_MS;
        const writing = client.write(path, Bun.file(held), { type: mediaType });
        await inTime(writing, longest);
        return stored;
      } finally {
        await rm(held, { force: true });
      }
    },

    async open(path, sizeBytes, { start, end }) {
      const object = client.file(path);
      const size = await inTime(sizeOf(object), options.idleMs);
      if (size !== sizeBytes) return undefined;
      return read(object.slice(start, end), end - start, options.idleMs);
    },

    async remove(path) {
      await inTime(client.delete(path), options.idleMs);
    },
  };
}

async function sizeOf(object: Bun.S3File): Promise<number | undefined> {
  try {
    return (await object.stat()).size;
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "NoSuchKey") return undefined;
    throw cause;
  }
}

/** Throws if the bucket delivers fewer bytes than announced. */
async function* read(
  object: Bun.S3File,
  sizeBytes: number,
  idleMs: number,
): AsyncGenerator<Uint8Array> {
  const reader = object.stream().getReader();
  let left = sizeBytes;
  try {
    while (left > 0) {
      const next = await inTime(reader.read(), idleMs);
      if (next.done)
        throw new GatewayError("upstream_failed", "The media store ended its response early.");
      left -= next.value.length;
      yield next.value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** The S3 client has no timeouts of its own. */
async function inTime<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new GatewayError("upstream_timeout", "The media store took too long to answer."));
  }, limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
