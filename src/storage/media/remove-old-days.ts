import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Deletes the folders of days that ended before `before` (Unix ms). Another gateway may have
 * deleted the rows of their files, which it could not reach.
 */
export async function removeOldDays(folder: string, before: number): Promise<void> {
  const today = new Date(before).toISOString().slice(0, 10);
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (DAY.test(name) && name < today) {
      await rm(join(folder, name), { recursive: true, force: true });
    }
  }
}
