import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Linux keeps what is written there in memory. */
const IN_MEMORY = "/dev/shm";
/** A whole run needs a quarter of it; containers often have no more than 64 MiB there. */
const NEEDED_BYTES = 2 * 1024 ** 3;

interface ScratchFolder extends Disposable {
  readonly path: string;
}

/**
 * A folder for all that a test run writes; removed at the end. Tests commit by
 * the thousands, and wait for the disk each time: it is in memory if there is room.
 */
export function openScratchFolder(inMemory = IN_MEMORY): ScratchFolder {
  if (freeBytes(inMemory) >= NEEDED_BYTES) {
    const folder = openIn(inMemory);
    if (runsPrograms(folder.path)) return folder;
    folder[Symbol.dispose]();
  }
  return openIn(tmpdir());
}

function openIn(parent: string): ScratchFolder {
  const path = mkdtempSync(join(parent, "sluice-run-"));
  // PostgreSQL is another user if the tests run as root.
  chmodSync(path, 0o711);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Containers often forbid it there, and tests write programs and run them. */
function runsPrograms(folder: string): boolean {
  const program = join(folder, "probe");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
