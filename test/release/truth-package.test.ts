import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeTruthPackage } from "../../release/truth-package.ts";

test("the package gateway-truth runs on Node without this repository", async () => {
  const folder = mkdtempSync(join(tmpdir(), "truth-package-"));
  try {
    const made = join(folder, "package");
    await makeTruthPackage(made);
    const manifest = JSON.parse(readFileSync(join(made, "package.json"), "utf8")) as {
      readonly bin: Readonly<Record<string, string>>;
      readonly files: readonly string[];
    };
    expect(manifest).not.toHaveProperty("private");
    expect(manifest.files.filter((each) => !existsSync(join(made, each)))).toEqual([]);

    const program = join(made, manifest.bin["gateway-truth"] ?? "");
    const args = [program, "--gateway=template", "--only=calls", "--quick"];
    const ran = Bun.spawn(["node", ...args], { cwd: folder, stdout: "pipe", stderr: "inherit" });
    const output = await new Response(ran.stdout).text();

    expect(output).toContain("50 of 50 calls were answered");
    expect(output.trimEnd()).toEndWith("The smallest gateway: all 1 rules hold.");
    expect(await ran.exited).toBe(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);
