import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { PROGRAM, startProgram } from "#test/program.ts";
import { waitFor } from "#test/wait.ts";

let sandbox: Sandbox;
let dataDir: string;
beforeAll(async () => {
  sandbox = await startSandbox({ apiKeys: ["sk-the-right-one"] });
  dataDir = mkdtempSync(join(tmpdir(), "sluice-wrong-key-"));
});
afterAll(async () => {
  await sandbox.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function configFor(name: string, baseUrl: string): string {
  const path = join(dataDir, `${name}.yaml`);
  const channel = `{ name: ${name}, provider: openai, base_url: "${baseUrl}", api_key: sk-a-wrong-one }`;
  writeFileSync(path, `channels: [${channel}]`);
  return path;
}

/** Beside this process, in which the vendor runs. */
async function doctor(config: string): Promise<string> {
  const env = { PATH: process.env["PATH"] ?? "", SLUICE_PORT: "1", SLUICE_DATA_DIR: dataDir };
  const child = Bun.spawn([...PROGRAM, "doctor"], {
    env: { ...env, SLUICE_CONFIG: config },
  });
  const said = await new Response(child.stdout).text();
  expect(await child.exited).toBe(1);
  return said;
}

test("a credential that the vendor refuses is reported once at the start, and by `sluice doctor`", async () => {
  const config = configFor("main", `${sandbox.url}/openai/v1`);
  await using program = await startProgram({ SLUICE_DATA_DIR: dataDir, SLUICE_CONFIG: config });
  await waitFor(() => program.output().includes("WRONG KEY"));

  expect(program.output()).toContain("channel 'main' refuses its API key");
  expect(program.output()).toContain(`Check the file ${config}.`);
  expect(program.output().split("WRONG KEY")).toHaveLength(2);
  expect(program.output()).not.toContain("sk-a-wrong-one");
  await program.end("SIGTERM");

  expect(await doctor(config)).toMatch(/^bad +channel main +the vendor refuses its API key/m);
});

test("an address with a web page is reported as bad by the doctor", async () => {
  using page = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("<!doctype html><title>Welcome</title>"),
  });
  const config = configFor("page", `http://127.0.0.1:${page.port}`);

  expect(await doctor(config)).toMatch(/^bad +channel page .*not a list of models/m);
});
