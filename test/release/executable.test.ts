import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PROGRAM } from "#test/program.ts";

const [program = "", ...words] = PROGRAM;
/** What launch.mjs sets, as its module writes it. */
const SETTINGS = [
  ...readFileSync("run-child.mjs", "utf8").matchAll(/^ +(BUN_\w+): "(\d+)",$/gm),
].map(([, name = "", value = ""]) => `${name}=${value}`);

// From source, launch.mjs sets them.
test.if(words.length === 0 && process.platform === "linux")(
  "an executable sets the variables of the runtime by itself, in the same process",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-executable-"));
    const env = { SLUICE_PORT: "0", SLUICE_DATA_DIR: folder, SLUICE_LIMIT_DRAIN_DELAY_MS: "0" };
    const child = spawn(program, { env, stdio: ["ignore", "pipe", "inherit"] });
    try {
      await once(createInterface(child.stdout), "line");
      const read = readFileSync(`/proc/${child.pid ?? 0}/environ`, "utf8").split("\0");

      expect(SETTINGS.length).toBeGreaterThan(1);
      expect(read).toEqual(expect.arrayContaining(SETTINGS));
      child.kill("SIGTERM");
      expect(await once(child, "exit")).toEqual([0, null]);
    } finally {
      child.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

test("the program sets the same variables as its launcher", () => {
  const text = readFileSync("src/runtime-settings.ts", "utf8");

  expect(
    [...text.matchAll(/(BUN_\w+): "(\d+)"/g)].map(([, name, value]) => `${name}=${value}`),
  ).toEqual(SETTINGS);
});
