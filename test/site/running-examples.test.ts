import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { KEY, openSimulated, type TestGateway } from "#test/harness.ts";
import { AGENTS } from "#test/agents/agents.ts";

const ADDRESS = "http://127.0.0.1:8080";
/** Below node_modules, so that the examples find the packages that they import. */
const folder = resolve("node_modules/.cache/sluice-examples", String(process.pid));
let gateway: TestGateway;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  gateway = await openSimulated();
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await gateway[Symbol.asyncDispose]();
});

test("the programs of the documents get answers from a gateway", async () => {
  const programs = blocksIn("docs/client-libraries.md", "ts").map((text, at) => {
    const path = join(folder, `example-${at}.ts`);
    const quiet = text.replaceAll(/^console\.log\(.*$/gm, "");
    writeFileSync(path, quiet.replaceAll(ADDRESS, gateway.url));
    return path;
  });
  process.env["SLUICE_KEY"] = KEY;
  // Each waits for its answers, and throws if there is none.
  for (const path of programs) await import(path);

  expect(programs.length).toBe(5);
}, 60_000);

test.skipIf(Bun.which("curl") === null)(
  "the first calls of the documents are answered",
  async () => {
    const calls = blocksIn("docs/quick-start.md", "sh").filter((text) => text.includes("curl "));
    for (const text of calls) {
      const script = text.replaceAll(ADDRESS, gateway.url).replace(/^export SLUICE_KEY=.*$/m, "");
      const run = Bun.spawn(["sh", "-c", script.replaceAll("curl ", "curl -sS --fail ")], {
        env: { ...process.env, SLUICE_KEY: KEY },
        stdout: "pipe",
      });
      const output = await new Response(run.stdout).text();

      expect([await run.exited, output]).toEqual([0, expect.stringContaining("usage")]);
    }

    expect(calls.length).toBe(2);
  },
);

describe("the configuration of an agent in the documents is the one with which it is tested", () => {
  test("codex", () => {
    const told = Bun.TOML.parse(blocksIn("docs/coding-agents.md", "toml").join("\n"));
    const tried = Bun.TOML.parse(fileOf("codex", ".codex/config.toml")) as typeof told;

    expect(tried).toMatchObject(withKeyVariable(told));
  });

  test.each([
    ["opencode chat", ".config/opencode/opencode.json", 0],
    ["pi chat", ".pi/agent/models.json", 1],
  ])("%s", (id, file, at) => {
    const told: unknown = JSON.parse(blocksIn("docs/coding-agents.md", "json")[at] ?? "");
    const tried: unknown = JSON.parse(fileOf(id, file));

    expect(tried).toMatchObject(withKeyVariable(told));
  });

  test("continue", () => {
    const [told = ""] = blocksIn("docs/coding-agents.md", "yaml continue");

    expect(fileOf("continue", "config.yaml")).toBe(told);
  });
});

const KEY_OF_AGENT = "sk-...";

function fileOf(id: string, path: string): string {
  const agent = AGENTS.find((each) => each.id === id);
  const task = { url: ADDRESS, key: KEY_OF_AGENT, model: "gpt-4o-mini", home: "", file: "" };
  return agent?.launch(task).files[path] ?? "";
}

/** The tests name the variable with the key otherwise, or write the key itself. */
function withKeyVariable(told: unknown): object {
  const text = JSON.stringify(told)
    .replaceAll("{env:SLUICE_KEY}", KEY_OF_AGENT)
    .replaceAll("SLUICE_KEY", "GATEWAY_KEY");
  return JSON.parse(text) as object;
}

function blocksIn(path: string, kind: string): readonly string[] {
  const fences = readFileSync(path, "utf8").matchAll(/^```([^\n]*)\n([^]*?)^```/gm);
  return [...fences].filter(([, own]) => own === kind).map(([, , text = ""]) => text);
}
