import { expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openScratchFolder } from "#test/scratch-folder.ts";
import { RotatingFile } from "./rotating-file.ts";

const read = (path: string): string => readFileSync(path, "utf8");

test("a file at its maximum size is renamed, and only the newest files are kept", async () => {
  using folder = openScratchFolder();
  const path = join(folder.path, "calls.log");
  await using file = await RotatingFile.open(path, { maxBytes: 8, keep: 2 });

  for (const text of ["one\n", "two\n", "three\n", "four\n", "five\n"]) await file.write(text);

  expect(readdirSync(folder.path).toSorted()).toEqual(["calls.log", "calls.log.1", "calls.log.2"]);
  expect(read(path)).toBe("five\n");
  expect(read(`${path}.1`)).toBe("four\n");
  expect(read(`${path}.2`)).toBe("three\n");
});

test("a text longer than the maximum is written whole, as the only one of its file", async () => {
  using folder = openScratchFolder();
  const path = join(folder.path, "calls.log");
  await using file = await RotatingFile.open(path, { maxBytes: 4, keep: 1 });

  await file.write("longer than four\n");
  await file.write("next\n");

  expect(read(path)).toBe("next\n");
  expect(read(`${path}.1`)).toBe("longer than four\n");
});

test("an existing file is continued, and its size counts", async () => {
  using folder = openScratchFolder();
  const path = join(folder.path, "calls.log");
  writeFileSync(path, "before\n");
  await using file = await RotatingFile.open(path, { maxBytes: 12, keep: 1 });

  await file.write("now\n");
  expect(read(path)).toBe("before\nnow\n");
  await file.write("later\n");

  expect(read(path)).toBe("later\n");
  expect(read(`${path}.1`)).toBe("before\nnow\n");
});

test("a file that another program removed is created again at the next rotation", async () => {
  using folder = openScratchFolder();
  const path = join(folder.path, "calls.log");
  await using file = await RotatingFile.open(path, { maxBytes: 6, keep: 1 });

  await file.write("one\n");
  rmSync(path);
  await file.write("two\n");

  expect(readdirSync(folder.path)).toEqual(["calls.log"]);
  expect(read(path)).toBe("two\n");
});

test("only its owner may read the file", async () => {
  using folder = openScratchFolder();
  const path = join(folder.path, "calls.log");
  await using file = await RotatingFile.open(path, { maxBytes: 100, keep: 1 });
  await file.write("text");

  expect(statSync(path).mode & 0o777).toBe(0o600);
});
