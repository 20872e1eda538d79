import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";

interface Package {
  readonly version: string;
  readonly optional?: true;
}
type Packages = Readonly<Record<string, Package>>;

const WANTED: Packages = {
  "": { version: "1.0.0" },
  "node_modules/a": { version: "1.2.3" },
  "node_modules/@oven/bun-here": { version: "1.4.4", optional: true },
  "node_modules/@oven/bun-elsewhere": { version: "1.4.4", optional: true },
};
const { "node_modules/@oven/bun-elsewhere": _elsewhere, "": _root, ...INSTALLED } = WANTED;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "sluice-launcher-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** The launcher among modules that are said to be installed, with an npm that notes that it was called. */
function launch(installed: Packages | undefined, hasBun = true) {
  for (const file of ["launch.mjs", "run-child.mjs"]) cpSync(file, join(root, file));
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: WANTED }));
  const modules = join(root, "node_modules");
  if (hasBun) {
    mkdirSync(join(modules, "@oven/bun-here/bin"), { recursive: true });
    symlinkSync(process.execPath, join(modules, "@oven/bun-here/bin/bun"));
  }
  if (installed !== undefined) {
    mkdirSync(modules, { recursive: true });
    writeFileSync(join(modules, ".package-lock.json"), JSON.stringify({ packages: installed }));
  }
  mkdirSync(join(root, "src"), { recursive: true });
  writeFileSync(join(root, "src/main.ts"), 'process.stdout.write("started");');
  const bin = join(root, "bin");
  mkdirSync(bin, { recursive: true });
  // It fails, so that the launcher goes no further.
  writeFileSync(join(bin, "npm"), `#!/bin/sh\necho "$@" >> "${root}/npm-calls"\nexit 7\n`);
  chmodSync(join(bin, "npm"), 0o755);
  return run();
}

function run() {
  const { status, stdout } = spawnSync("node", [join(root, "launch.mjs"), "start"], {
    encoding: "utf8",
    env: { PATH: `${join(root, "bin")}:${process.env["PATH"] ?? ""}` },
  });
  const calls = join(root, "npm-calls");
  return { status, stdout, npm: existsSync(calls) ? readFileSync(calls, "utf8") : "" };
}

describe("a first start", () => {
  test("with installed modules calls no npm, nor does the next one", () => {
    const started = { status: 0, stdout: "started", npm: "" };

    expect(launch(INSTALLED)).toEqual(started);
    expect(existsSync(join(root, "node_modules/.sluice-setup"))).toBe(true);
    expect(run()).toEqual(started);
  });

  test.each<[string, Packages | undefined, boolean]>([
    ["nothing", undefined, false],
    ["modules that npm did not list", undefined, true],
    ["another version", { ...INSTALLED, "node_modules/a": { version: "1.2.4" } }, true],
    ["one module fewer", { "node_modules/@oven/bun-here": { version: "1.4.4" } }, true],
    ["modules without the runtime", INSTALLED, false],
  ])("with %s installs the modules of the lockfile", (_what, installed, hasBun) => {
    const { status, stdout, npm } = launch(installed, hasBun);

    expect({ status, stdout }).toEqual({ status: 7, stdout: "" });
    expect(npm).toStartWith("ci ");
    expect(existsSync(join(root, "node_modules/.sluice-setup"))).toBe(false);
  });

  test("with modules of another lockfile installs them again", () => {
    launch(INSTALLED);
    const lock = { packages: { ...WANTED, "node_modules/b": { version: "2.0.0" } } };
    writeFileSync(join(root, "package-lock.json"), JSON.stringify(lock));

    expect(run()).toMatchObject({ status: 7, npm: expect.stringMatching(/^ci /) });
  });
});
