import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "#package.json" with { type: "json" };
import { bearer, PASSWORD, ROOT, asRoot, askWith, logIn, textIn } from "#test/accounts.ts";
import { PROGRAM, startProgram } from "#test/program.ts";

interface Ended {
  readonly code: number | null;
  readonly text: string;
  readonly errors: string;
}

/** The command line as an operator types it. */
async function sluice(
  line: string,
  env: Readonly<Record<string, string>>,
  typed = "",
): Promise<Ended> {
  const [executable = "", ...before] = PROGRAM;
  const child = spawn(executable, [...before, ...line.split(" ")], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
  });
  let text = "";
  let errors = "";
  child.stdout.on("data", (piece: Buffer) => (text += piece));
  child.stderr.on("data", (piece: Buffer) => (errors += piece));
  child.stdin.end(typed);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, text, errors };
}

function openFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "sluice-cli-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Nothing listens there, and nobody else will. */
const NOWHERE = "1";

test("without a running gateway, the command line works on its database as root", async () => {
  using folder = openFolder();
  const env = { SLUICE_DATA_DIR: folder.path, SLUICE_PORT: NOWHERE };

  const created = await sluice("keys create ci --models gpt-4o* --quota 1", env);
  const made = await sluice("users create ann --role auditor --password-stdin", env, PASSWORD);
  const listed = await sluice("keys", env);

  expect(created).toMatchObject({ code: 0, errors: "" });
  expect(made).toMatchObject({ code: 0, errors: "" });
  expect(listed.text).toMatch(/^1 +ci +\.\.\.\w{4} +enabled +gpt-4o\* +0 +1 /m);

  await using program = await startProgram({ SLUICE_DATA_DIR: folder.path });
  const answer = await fetch(`${program.url}/v1/chat/completions`, {
    method: "POST",
    headers: { ...bearer(created.text.trim()), "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hi." }] }),
  });
  expect(answer.status).toBe(200);
  await logIn(program.url, { username: "ann", password: PASSWORD });
});

test("with a running gateway, the command line calls it with the token's user", async () => {
  using folder = openFolder();
  await using program = await startProgram({
    SLUICE_DATA_DIR: folder.path,
    SLUICE_ADMIN_EMAIL: ROOT.email,
    SLUICE_ADMIN_PASSWORD: ROOT.password,
  });
  const env = { SLUICE_URL: program.url };
  const token = textIn(
    (await (await asRoot(program.url))("POST", "/api/user/token")).data,
    "token",
  );

  const unknown = await sluice("users", env);
  const known = await sluice("users", { ...env, SLUICE_TOKEN: token });
  const made = await sluice("keys create ci --rpm 5", { ...env, SLUICE_TOKEN: token });

  expect(unknown).toMatchObject({ code: 1, text: "" });
  expect(unknown.errors).toContain("SLUICE_TOKEN");
  expect(known).toMatchObject({ code: 0, errors: "" });
  expect(known.text).toContain(ROOT.email);
  const models = await fetch(`${program.url}/v1/models`, { headers: bearer(made.text.trim()) });
  expect(models.status).toBe(200);

  const { data } = await askWith(program.url, bearer(token))("GET", "/api/audit");
  expect(JSON.stringify(data)).toContain("POST /api/token");
});

test("a stored configuration is exported, planned and applied", async () => {
  using folder = openFolder();
  const env = { SLUICE_DATA_DIR: folder.path, SLUICE_PORT: NOWHERE };
  const file = join(folder.path, "wanted.yaml");

  const before = await sluice("config export", env);
  writeFileSync(
    file,
    before.text.replace("groups: []", "groups: [{ name: gold, price_factor: 0.5 }]"),
  );
  const planned = await sluice(`config plan ${file}`, env);
  const [, digest = ""] = /^--plan (\w+)$/m.exec(planned.text) ?? [];
  const applied = await sluice(`config apply ${file} --plan ${digest}`, env);
  const again = await sluice(`config plan ${file}`, env);

  expect(planned).toMatchObject({ code: 0, text: expect.stringMatching(/^create groups? gold$/m) });
  expect(applied.code).toBe(0);
  expect(again.text).toStartWith("nothing changes");
  expect((await sluice("config export", env)).text).toContain("gold");
  expect((await sluice(`config apply ${file} --plan ${digest}`, env)).code).toBe(1);
});

test("a long document is planned like a short one", async () => {
  using folder = openFolder();
  const env = { SLUICE_DATA_DIR: folder.path, SLUICE_PORT: NOWHERE };
  const file = join(folder.path, "long.yaml");
  writeFileSync(file, `# ${"a word ".repeat(50_000)}\ngroups: [{ name: gold }]\n`);

  expect((await sluice(`config plan ${file}`, env)).text).toContain("gold");
});

test("the gateway's refusals are printed unchanged, and invalid arguments get the command's own error", async () => {
  using folder = openFolder();
  const env = { SLUICE_DATA_DIR: folder.path, SLUICE_PORT: NOWHERE };

  expect(await sluice("keys change 7 --rpm 5", env)).toEqual({
    code: 1,
    text: "",
    errors: "Token not found.\n",
  });
  expect((await sluice("keys create", env)).code).toBe(2);
  expect(await sluice("kees", env)).toMatchObject({
    code: 2,
    errors: expect.stringContaining("Unknown command 'kees'."),
  });
  expect(await sluice("users", { SLUICE_URL: `http://127.0.0.1:${NOWHERE}` })).toMatchObject({
    code: 1,
    errors: `No gateway answers at http://127.0.0.1:${NOWHERE}.\n`,
  });
});

test("the command line shows its version and the help of one command, and suggests commands", async () => {
  const version = { code: 0, text: `${manifest.version}\n`, errors: "" };
  expect(await sluice("--version", {})).toEqual(version);
  expect(await sluice("version", {})).toEqual(version);
  const help = await sluice("help keys", {});
  expect(help).toMatchObject({ code: 0, errors: "" });
  expect(help.text).toContain("keys create <name>");
  expect(help.text).not.toContain("users create");
  expect(await sluice("keys create --help", {})).toEqual(help);
  const misspelt = { code: 2, errors: expect.stringContaining("Did you mean 'channels'?") };
  expect(await sluice("chanels", {})).toMatchObject(misspelt);
  expect(await sluice("help chanels", {})).toMatchObject(misspelt);
  const script = await sluice("completion bash", {});
  expect(script).toMatchObject({ code: 0, text: expect.stringContaining("_sluice sluice") });
  expect((await sluice("completion csh", {})).code).toBe(2);
  expect(await sluice("health --jsn", {})).toMatchObject({
    code: 2,
    errors: expect.stringContaining("Did you mean '--json'?"),
  });
  const away = await sluice("health --json", { SLUICE_URL: `http://127.0.0.1:${NOWHERE}` });
  expect([away.code, JSON.parse(away.text)]).toMatchObject([1, { ready: false }]);
  const all = await sluice("help", {});
  expect(all.text.match(/^ {2}teams list/gm)).toHaveLength(1);
});

test("models without a price are listed, and the doctor names them", async () => {
  using folder = openFolder();
  const config = join(folder.path, "sluice.yaml");
  writeFileSync(
    config,
    `channels: [{ name: away, provider: openai, api_key: secret-of-ours, base_url: http://127.0.0.1:${NOWHERE}, models: [in-house, gpt-4o-mini] }]`,
  );
  const env = { SLUICE_DATA_DIR: folder.path, SLUICE_PORT: NOWHERE, SLUICE_CONFIG: config };

  const all = await sluice("models list", env);
  const unpriced = await sluice("models list --unpriced", env);
  const { text } = await sluice("doctor", env);

  expect(all.text).toContain("gpt-4o-mini");
  expect(unpriced.code).toBe(0);
  expect(unpriced.text).toContain("in-house");
  expect(unpriced.text).not.toContain("gpt-4o-mini");
  expect(text).toMatch(/^doubtful +prices +1 model has no price, such as in-house: /m);
  expect(text).toMatch(/^(good|doubtful) +catalogue +model prices and limits date from 20/m);
});

test("a file of prices is planned, applied and removed again", async () => {
  using folder = openFolder();
  const env = { SLUICE_DATA_DIR: folder.path, SLUICE_PORT: NOWHERE };
  const file = join(folder.path, "prices.json");
  const entry = { litellm_provider: "openai", mode: "chat", output_cost_per_token: 6e-7 };
  writeFileSync(
    file,
    JSON.stringify({
      "gpt-4o-mini": { ...entry, input_cost_per_token: 2e-7 },
      "swift-99": { ...entry, input_cost_per_token: 1e-6 },
      "mistral/swift-1": { ...entry, litellm_provider: "mistral", input_cost_per_token: 1e-6 },
      "live-1": { ...entry, mode: "realtime" },
      "azure/a": { ...entry, litellm_provider: "azure" },
    }),
  );

  const planned = await sluice(`models update ${file} --provider openai`, env);
  const applied = await sluice(`models update ${file} --provider openai --apply`, env);
  const after = await sluice("models catalog", env);
  const reverted = await sluice("models revert", env);

  expect(planned).toMatchObject({ code: 0, errors: "" });
  expect(planned.text).toMatch(/^Read as LiteLLM's price file\.$/m);
  expect(planned.text).toMatch(/^ {2}openai swift-99 +input 1, output 0\.6$/m);
  expect(planned.text).toMatch(/^ {2}openai gpt-4o-mini +price\.input +0\.15 -> 0\.2$/m);
  expect(planned.text).toMatch(/^ {2}openai live-1 +its mode is not supported: realtime$/m);
  expect(planned.text).not.toContain("mistral");
  expect(planned.text).toMatch(
    /Of other providers: 1 models of 1 providers\.\nNothing was changed/,
  );
  expect(applied.text).toEndWith("The catalogue was updated.\n");
  expect(after.text).toMatch(/^updated_rows +2$/m);
  expect(reverted.text).toBe("2 updated rows were deleted\n");
});

test("the doctor finds problems, prints them, and sets the exit status", async () => {
  using folder = openFolder();
  const env = { SLUICE_DATA_DIR: folder.path, SLUICE_PORT: NOWHERE };

  expect(await sluice("doctor", env)).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^good +ledger .*$/m),
  });
  chmodSync(join(folder.path, "secret"), 0o644);
  const open = await sluice("doctor", env);
  const config = join(folder.path, "sluice.yaml");
  writeFileSync(
    config,
    `channels: [{ name: away, provider: ollama, base_url: http://127.0.0.1:${NOWHERE} }]`,
  );
  const unreached = await sluice("doctor", { ...env, SLUICE_CONFIG: config });

  expect(open.code).toBe(1);
  expect(open.text).toMatch(/^bad +secret .*chmod 600/m);
  expect(unreached.text).toMatch(/^bad +channel away /m);
  expect((await sluice("doctor", { ...env, SLUICE_PORT: "high" })).text).toMatch(
    /^bad +configuration/m,
  );
});

test("the health command says whether the gateway is ready, by its exit code", async () => {
  using folder = openFolder();
  const env = { SLUICE_DATA_DIR: folder.path, SLUICE_PORT: NOWHERE };
  await using program = await startProgram({ SLUICE_DATA_DIR: folder.path });
  const { port } = new URL(program.url);

  expect(await sluice("health", { ...env, SLUICE_PORT: port })).toMatchObject({
    code: 0,
    text: `${program.url} is ready.\n`,
  });
  expect(await sluice("health", env)).toMatchObject({
    code: 1,
    text: `No gateway answers at http://127.0.0.1:${NOWHERE}.\n`,
  });
});
