import { expect, test } from "bun:test";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { openTestGateway } from "#test/harness.ts";
import { backup, restore } from "./backup.ts";

test("backup and restore print a result or JSON, and end with a status for success, failure and misuse", async () => {
  await using running = await openTestGateway({ yaml: "" });
  const { dataDir } = running;
  const other = join(dataDir, "other");
  const file = join(dataDir, "a.backup");
  mkdirSync(other);
  copyFileSync(join(dataDir, "secret"), join(other, "secret"));
  const run = async (command: typeof backup, words: string, folder = dataDir) => {
    let output = "";
    let errors = "";
    const code = await command({
      env: { SLUICE_DATA_DIR: folder },
      readFile: () => undefined,
      knownProviders: [],
      words: words.split(" "),
      output: { write: (text) => (output += text) },
      errors: { write: (text) => (errors += text) },
      version: "1.2.3",
    });
    return { code, output, errors };
  };

  const written = await run(backup, `${file} --json --files`);
  expect(written).toMatchObject({ code: 0, errors: "" });
  expect(JSON.parse(written.output)).toMatchObject({ file, rows: { users: 1 }, files: 0 });
  const checked = await run(restore, `${file} --check`);
  expect(checked.output).toMatch(/^The backup is complete and unchanged: \d+ rows and 0 files of /);
  const restored = await run(restore, file, other);
  expect(restored).toMatchObject({ code: 0, errors: "" });
  expect(restored.output).toStartWith("Restored and verified");
  expect(await run(restore, file, other)).toMatchObject({
    code: 1,
    output: "",
    errors: expect.stringContaining("give --replace"),
  });
  expect((await run(restore, `${file} --replace`, other)).code).toBe(0);
  expect((await run(backup, `${file} second`)).errors).toBe(
    "Give one file.\nUsage: sluice backup <file> [--files] [--json]\n",
  );
  expect((await run(restore, `${file} --unknown`)).code).toBe(2);
});
