import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "#package.json" with { type: "json" };
import { COMMAND, PROGRAM, startProgram } from "#test/program.ts";
import { waitFor } from "#test/wait.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "sluice-start-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

/** What the printed curl line would send. */
function readCurl(output: string): { url: string; key: string; body: string } {
  const [, url = ""] = /curl (\S+)/.exec(output) ?? [];
  const [, key = ""] = /Authorization: Bearer ([^"]+)"/.exec(output) ?? [];
  const [, body = ""] = /-d '([^']+)'/.exec(output) ?? [];
  return { url, key, body };
}

function tryIt(output: string): Promise<Response> {
  const { url, key, body } = readCurl(output);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return fetch(url, { method: "POST", headers, body });
}

describe("a first start with nothing configured", () => {
  test("prints an address, a key and a working call, and says that it is simulated", async () => {
    await using program = await startProgram({ SLUICE_DATA_DIR: dataDir });
    await waitFor(() => program.output().includes("-d '"));

    const answer = await tryIt(program.output());

    expect(program.output()).toContain("SIMULATED");
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ object: "chat.completion" });
    expect(await program.end("SIGTERM")).toBe(0);
  });

  test("protects its secrets from other users, and does not store the key", async () => {
    await using program = await startProgram({ SLUICE_DATA_DIR: dataDir });
    await waitFor(() => program.output().includes("-d '"));
    const { key } = readCurl(program.output());
    await program.end("SIGTERM");

    expect(key).toMatch(/^sk-slc_[0-9A-Za-z]{38}$/);
    expect(readFileSync(join(dataDir, "sluice.db"), "latin1")).not.toContain(key);
    expect(statSync(join(dataDir, "secret")).mode & 0o077).toBe(0);
  });

  test("does not show the key again, which still works after a restart", async () => {
    const first = await startProgram({ SLUICE_DATA_DIR: dataDir });
    await waitFor(() => first.output().includes("-d '"));
    const { key, body } = readCurl(first.output());
    await first.end("SIGTERM");

    await using second = await startProgram({ SLUICE_DATA_DIR: dataDir });
    await waitFor(() => second.output().includes("-d '"));
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await fetch(`${second.url}/v1/chat/completions`, {
      method: "POST",
      headers,
      body,
    });

    expect(second.output()).not.toContain(key);
    expect(answer.status).toBe(200);
  });
});

describe("the start message of a gateway", () => {
  const printed = async (env: Readonly<Record<string, string>>): Promise<string> => {
    await using program = await startProgram({ SLUICE_DATA_DIR: dataDir, ...env });
    await waitFor(() => /\/api\/user\/setup/.test(program.output()));
    await program.end("SIGKILL");
    return program.output();
  };

  test("has a call to a model of the configured vendor", async () => {
    const yaml = join(dataDir, "sluice.yaml");
    const channel = "{ name: a, provider: anthropic, base_url: http://127.0.0.1:1, api_key: x }";
    writeFileSync(yaml, `channels: [${channel}]`);

    const said = await printed({ SLUICE_CONFIG: yaml });

    expect(said).toMatch(/"model":"claude-[\w-]+"/);
    expect(said).toContain("1 channel: a");
  });

  test("does not mention an earlier key at a first start", async () => {
    const yaml = join(dataDir, "sluice.yaml");
    writeFileSync(yaml, "keys: [{ name: team, key: a-key-of-the-team-0123456789 }]");

    const said = await printed({ SLUICE_CONFIG: yaml });

    expect(said).toContain(`Key: team, as ${yaml} has it`);
    expect(said).not.toContain("earlier");
    expect(said).not.toContain("a-key-of-the-team");
  });
});

test("a database that was emptied beside its secret causes a warning", async () => {
  const first = await startProgram({ SLUICE_DATA_DIR: dataDir });
  await first.end("SIGTERM");
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith("sluice.db")) rmSync(join(dataDir, name));
  }
  const env = { PATH: process.env["PATH"] ?? "", SLUICE_PORT: "0", SLUICE_DATA_DIR: dataDir };
  const start = () => Bun.spawnSync([...PROGRAM, "start"], { env });

  for (const ended of [start(), start()]) {
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr.toString()).toContain(`${join(dataDir, "secret")} belongs to an earlier`);
  }
  rmSync(join(dataDir, "secret"));
  await using anew = await startProgram({ SLUICE_DATA_DIR: dataDir });
  expect((await fetch(`${anew.url}/readyz`)).status).toBe(200);
});

test("a gateway that waits for its database says at once where that is and why, and ends by a signal", async () => {
  const env = {
    PATH: process.env["PATH"] ?? "",
    SLUICE_PORT: "0",
    SLUICE_DATA_DIR: dataDir,
    DATABASE_URL: "postgres://sluice:a-password@127.0.0.1:1/none",
  };
  const started = Bun.spawn([...PROGRAM, "start"], { env, stdout: "ignore", stderr: "pipe" });
  let said = "";
  for await (const bytes of started.stderr) {
    said += Buffer.from(bytes).toString();
    if (said.includes("Trying again for 60 s")) started.kill("SIGTERM");
  }

  expect(await started.exited).toBe(0);
  expect(said).toMatch(/Cannot open PostgreSQL at 127\.0\.0\.1:1: .*ECONNREFUSED/);
  expect(said).not.toContain("a-password");
}, 30_000);

test("a second gateway on the same folder is refused, without damage", async () => {
  await using first = await startProgram({ SLUICE_DATA_DIR: dataDir });

  expect(startProgram({ SLUICE_DATA_DIR: dataDir })).rejects.toThrow("before it listened");
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
});

describe("after a stop signal", () => {
  const KEY = "bootstrap-key-0123456789-abcdef";
  const ask = (url: string, content: string): Promise<Response> =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "gpt-4o-mini",
        stream: true,
        messages: [{ role: "user", content }],
      }),
    });

  test("running streams complete, new calls are refused, and it exits with 0", async () => {
    await using program = await startProgram({
      SLUICE_DATA_DIR: dataDir,
      SLUICE_BOOTSTRAP_KEY: KEY,
    });
    const running = await ask(program.url, "Count to 60 [[fault:slow between_ms=10]]");

    const ended = program.end("SIGTERM");
    await waitFor(() =>
      fetch(`${program.url}/readyz`).then(
        (each) => each.status === 503,
        () => true,
      ),
    );

    expect(await running.text()).toEndWith("data: [DONE]\n\n");
    expect(await ended).toBe(0);
  });

  test("one key press that arrives twice counts once, and a later one stops at once", async () => {
    const env = { SLUICE_DATA_DIR: dataDir, SLUICE_BOOTSTRAP_KEY: KEY };
    await using program = await startProgram(env);
    const running = await ask(program.url, "go on [[fault:endless]] [[fault:slow between_ms=2]]");
    const reading = running.text().catch(() => "cut");

    program.child.kill("SIGINT");
    program.child.kill("SIGINT");
    await Bun.sleep(1_200);
    expect(program.child.exitCode).toBeNull();

    expect(await program.end("SIGINT")).toBe(1);
    await reading;
  });

  test("a stream that takes longer than the drain time ends with an error event", async () => {
    const env = {
      SLUICE_DATA_DIR: dataDir,
      SLUICE_BOOTSTRAP_KEY: KEY,
      SLUICE_LIMIT_DRAIN_MS: "300",
    };
    await using program = await startProgram(env);
    const running = await ask(program.url, "go on [[fault:endless]] [[fault:slow between_ms=5]]");
    const reading = running.text();

    expect(await program.end("SIGTERM")).toBe(0);
    const text = await reading;
    expect(text).toContain('"error"');
    expect(text).not.toContain("[DONE]");
  });

  test("it accepts calls for a while, and is reported as not ready", async () => {
    const env = {
      SLUICE_DATA_DIR: dataDir,
      SLUICE_BOOTSTRAP_KEY: KEY,
      // Long enough for the calls below on a machine that is busy with others.
      SLUICE_LIMIT_DRAIN_DELAY_MS: "5000",
    };
    await using program = await startProgram(env);

    const ended = program.end("SIGTERM");
    await waitFor(async () => (await fetch(`${program.url}/readyz`)).status === 503);
    const answer = await ask(program.url, "Say hello.");

    expect(answer.status).toBe(200);
    expect(await answer.text()).toEndWith("data: [DONE]\n\n");
    expect(await ended).toBe(0);
  });
});

function isGone(url: string): Promise<boolean> {
  return fetch(`${url}/livez`).then(
    () => false,
    () => true,
  );
}

test("its first words on both outputs name the version of package.json", async () => {
  const command = `exec ${COMMAND} start 2>&1`;
  const env = { SLUICE_DATA_DIR: dataDir, SLUICE_LOG_LEVEL: "info" };
  await using program = await startProgram(env, ["sh", "-c", command]);

  expect(program.output()).toContain(`Sluice ${manifest.version} listens`);
  expect(program.output()).toMatch(
    new RegExp(`"version":"${RegExp.escape(manifest.version)}".*"msg":"gateway started"`),
  );
});

describe.skipIf(process.platform === "win32")("a gateway that npm started", () => {
  test.each(["SIGTERM", "SIGKILL"] as const)("ends if npm is ended by %s", async (signal) => {
    const env = { SLUICE_DATA_DIR: dataDir, HOME: process.env["HOME"] ?? "" };
    await using program = await startProgram(env, ["npm", "start"]);

    await program.end(signal);

    await waitFor(() => isGone(program.url), 15_000);
    // Its folder is free for another one.
    await waitFor(() =>
      startProgram({ SLUICE_DATA_DIR: dataDir }).then(
        async (next) => (await next.end("SIGTERM")) === 0,
        () => false,
      ),
    );
  });

  test("keeps running if the parent process of npm ends", async () => {
    const env = { SLUICE_DATA_DIR: dataDir, HOME: process.env["HOME"] ?? "" };
    await using program = await startProgram(env, ["sh", "-c", "npm start & echo npm is $!; wait"]);
    const [, npm = ""] = /npm is (\d+)/.exec(program.output()) ?? [];
    await program.end("SIGKILL");
    // Longer than it takes to notice.
    await Bun.sleep(2_000);

    expect((await fetch(`${program.url}/livez`)).status).toBe(200);
    process.kill(Number(npm), "SIGTERM");
    await waitFor(() => isGone(program.url), 15_000);
  });
});
