import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "bun:test";
import { openScratchFolder } from "./scratch-folder.ts";

test("if nothing can be kept in memory, a run writes to the folder for temporary files", () => {
  using folder = openScratchFolder(join(tmpdir(), "sluice-is-not-there"));

  expect(dirname(folder.path)).toBe(tmpdir());
});

test("a run's folder is unreadable for other users, and removed at the end", () => {
  const parent = mkdtempSync(join(tmpdir(), "sluice-scratch-"));
  const folder = openScratchFolder(parent);
  const { mode } = statSync(folder.path);
  folder[Symbol.dispose]();

  expect(mode & 0o066).toBe(0);
  expect(existsSync(folder.path)).toBe(false);
  rmSync(parent, { recursive: true });
});
