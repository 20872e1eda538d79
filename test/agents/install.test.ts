import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cacheFolder, folderName, installRelease, npmReason } from "./install.ts";

const cache = mkdtempSync(join(tmpdir(), "sluice-agents-"));
afterAll(() => rmSync(cache, { recursive: true, force: true }));

/** A release as if npm had installed it, with programs that are shell scripts. */
function installed(name: string, scripts: Readonly<Record<string, string>>) {
  const release = { package: `@some/${name}`, version: "1.2.3", programs: ["a/bin", "b/bin"] };
  const folder = join(cache, folderName(release));
  for (const [program, script] of Object.entries(scripts)) {
    const path = join(folder, "node_modules", program);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  writeFileSync(join(folder, "installed"), "");
  return { release, folder };
}

test("an installed agent is used again, and its first program that starts is chosen", async () => {
  const { release, folder } = installed("agent", { "a/bin": "exit 3", "b/bin": "echo 1.2.3" });

  expect(await installRelease(release, cache)).toBe(join(folder, "node_modules", "b/bin"));
});

test("a program that does not start is reported with its output", async () => {
  const { release } = installed("broken", { "a/bin": "echo no such instruction >&2; exit 1" });

  expect(await reasonOf(installRelease(release, cache))).toBe(
    "it does not start: no such instruction",
  );
});

test("a package without a program for this machine is reported as such", async () => {
  const { release } = installed("foreign", { "c/bin": "exit 0" });

  expect(await reasonOf(installRelease(release, cache))).toBe(
    "it does not start: its package brings no program for this machine",
  );
});

function reasonOf(installing: Promise<string>): Promise<string> {
  return installing.then(
    (path) => `installed at ${path}`,
    (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)),
  );
}

test("agents are installed beside the dependencies, or in the folder of the variable", () => {
  expect(cacheFolder({})).toEndWith(join("node_modules", ".cache", "sluice-agents"));
  expect(cacheFolder({ SLUICE_AGENTS_DIR: "/elsewhere" })).toBe("/elsewhere");
});

test("every release has its own folder", () => {
  expect(folderName({ package: "@some/agent", version: "1.2.3", programs: [] })).toBe(
    "some-agent-1.2.3",
  );
});

test.each([
  [
    "npm error code E404\nnpm error 404 Not Found - GET it\nnpm error 404\n",
    "404 Not Found - GET it",
  ],
  [
    "npm error code ETARGET\nnpm error notarget No matching version.\n",
    "notarget No matching version.",
  ],
  ["npm: command not found\n", "npm: command not found"],
  ["", "npm gave no reason"],
])("npm's reason is its first line with a reason: %j", (stderr, reason) => {
  expect(npmReason(stderr)).toBe(reason);
});
