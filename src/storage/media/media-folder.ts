import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { MediaStore } from "#core/kept-media.ts";
import { writeFile } from "#lib/write-file.ts";

/** Folder of incomplete files. */
const UNFINISHED = ".unfinished";
const ABANDONED_MS = 86_400_000;

/** Copies in a folder, which gateways on one database may share. */
export function openMediaFolder(folder: string): MediaStore {
  const place = (path: string): string => join(folder, path);
  let cleared: Promise<void> | undefined;
  // A missing folder may be mounted later.
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
      // Fails if the folder has other files of the task, or does not exist.
      await rmdir(dirname(place(path))).catch(() => {});
    },
  };
}

/** Deletes incomplete files of killed gateways; other gateways may still write theirs. */
async function clearAbandoned(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < Date.now() - ABANDONED_MS) await rm(path, { force: true });
  }
}
