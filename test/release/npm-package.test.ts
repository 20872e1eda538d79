import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "#package.json" with { type: "json" };
import { startProgram } from "#test/program.ts";
import { IS_LONG } from "#test/seed.ts";
import { waitFor } from "#test/wait.ts";
import { makeNpmPackage } from "../../release/npm-package.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-npm-"));
const archive = join(folder, `sluice-${manifest.version}.tgz`);
const made = join(folder, "made");
const installed = join(folder, "installed");

beforeAll(async () => {
  for (const path of ["console/build.ts", "site/build.ts"]) run(process.execPath, [path], ".");
  await makeNpmPackage(made);
  run("npm", ["pack", "--pack-destination", folder], made);
  install(installed);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("npx runs the installed package, which says its version", () => {
  expect(run("npx", ["--no-install", "sluice", "--version"], installed)).toBe(manifest.version);
});

test.if(IS_LONG)("it also runs if npm ran no install scripts", () => {
  const other = join(folder, "without-scripts");
  install(other, "--ignore-scripts");

  expect(run("npx", ["--no-install", "sluice", "--version"], other)).toBe(manifest.version);
});

test("the installed package starts a gateway with its console and documentation, and answers a call", async () => {
  const env = { SLUICE_DATA_DIR: join(folder, "data"), SLUICE_SANDBOX: "on" };
  const command = [join(installed, "node_modules/.bin/sluice"), "start"];
  await using program = await startProgram(env, command);
  await waitFor(() => program.output().includes("Base URLs"));
  const [, key = ""] = /first key, shown only now: (\S+)/.exec(program.output()) ?? [];
  const answer = await ask(program.url, "/v1/chat/completions", key);
  const count = await ask(program.url, "/v1/messages/count_tokens", key);
  const page = await fetch(program.url, { headers: { accept: "text/html" } });
  const manual = await fetch(`${program.url}/docs/configuration.md`);

  expect(program.output()).toStartWith(`Sluice ${manifest.version} listens on `);
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("usage")]);
  expect([count.status, await count.json()]).toEqual([200, { input_tokens: expect.any(Number) }]);
  expect(await page.text()).toContain("<title>");
  expect(await manual.text()).toStartWith("# Configuration");
  expect(await program.end("SIGTERM")).toBe(0);
});

test("the package can be published: it depends on Bun alone, and has all licenses", () => {
  const { dependencies, ...published } = JSON.parse(
    readFileSync(join(made, "package.json"), "utf8"),
  ) as Record<string, unknown>;
  const notices = readFileSync(join(made, "THIRD-PARTY-NOTICES.txt"), "utf8");

  expect(published).not.toHaveProperty("private");
  expect(published).toMatchObject({ name: "sluice", bin: { sluice: "sluice.mjs" } });
  expect(dependencies).toEqual({ bun: manifest.dependencies.bun });
  for (const name of [
    "hono",
    "zod",
    "preact",
    "minisearch",
    "tailwindcss",
    "@opentelemetry/resources",
  ])
    expect(notices).toMatch(new RegExp(`^${name} \\d+\\.`, "m"));
  expect(notices).not.toMatch(/^typescript /m);
});

function install(into: string, ...options: string[]): void {
  mkdirSync(into);
  writeFileSync(join(into, "package.json"), "{}");
  const words = ["--prefer-offline", "--no-audit", "--no-fund", ...options, archive];
  run("npm", ["install", ...words], into);
}

async function ask(url: string, path: string, key: string): Promise<Response> {
  return await fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "gpt-4o-mini",
      messages: [{ role: "user", content: "Say hello." }],
    }),
  });
}

function run(program: string, words: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${words.join(" ")} failed: ${stderr}`);
  return stdout.trim();
}
