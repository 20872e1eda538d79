import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { MediaStore } from "#core/kept-media.ts";
import { writeFile } from "#lib/write-file.ts";

/** What is not whole yet, or never will be. */
const UNFINISHED = ".unfinished";
const ABANDONED_MS = 86_400_000;

/** Copies in a folder, which gateways on one database may share. */
export function openMediaFolder(folder: string): MediaStore {
  const place = (path: string): string => join(folder, path);
  let cleared: Promise<void> | undefined;
  // A folder that is not there yet may be mounted later.
  const clear = (): Promise<void> =>
    clearAbandoned(join(folder, UNFINISHED)).catch((cause: unknown) => {
      cleared = undefined;
      throw cause;
    });
  return {
    async put(path, bytes) {
      await (cleared ??= clear());
      const unfinished = join(folder, UNFINISHED, randomUUID());
      try {
        const stored = await writeFile(unfinished, bytes);
        await mkdir(dirname(place(path)), { recursive: true, mode: 0o700 });
        await rename(unfinished, place(path));
        return stored;
      } finally {
        await rm(unfinished, { force: true });
      }
    },

    async open(path, sizeBytes, { start, end }) {
      const found = Bun.file(place(path));
      const isWhole = (await found.exists()) && found.size === sizeBytes;
      return isWhole ? found.slice(start, end) : undefined;
    },

    async remove(path) {
      await rm(place(path), { force: true });
      // Holds the task's other files, or is not there.
      await rmdir(dirname(place(path))).catch(() => {});
    },
  };
}

/** Of a gateway that was killed; others may be writing to theirs. */
async function clearAbandoned(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < Date.now() - ABANDONED_MS) await rm(path, { force: true });
  }
}
