import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, simulatedChannel } from "#test/harness.ts";
import { PROGRAM, startProgram } from "#test/program.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { waitFor } from "#test/wait.ts";

const QUESTION = { model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] };

describe("a response of the simulator", () => {
  test("has a header that says so at every endpoint, and so does readiness", async () => {
    await using opened = await openTestGateway({ yaml: "sandbox: auto" });
    const answers = [
      await opened.post("/v1/chat/completions", QUESTION),
      await opened.post("/v1/chat/completions", { ...QUESTION, stream: true }),
      await opened.post("/v1/embeddings", { model: "text-embedding-3-small", input: "hi" }),
      await opened.post("/v1/images/generations", { model: "gpt-image-1", prompt: "A fox" }),
      await opened.post("/v1/video/generations", { model: "sora-2", prompt: "A fox" }),
      await opened.post("/v1/audio/speech", { model: "tts-1", input: "hi", voice: "alloy" }),
      await opened.post("/v1/chat/completions", { ...QUESTION, n: 0 }),
      await opened.get("/readyz"),
    ];

    expect(answers.map(({ headers }) => headers.get("sluice-simulated"))).toEqual(
      answers.map(() => "true"),
    );
    expect(await answers.at(-1)?.json()).toEqual({ status: "ok", simulated: true });
    await Promise.all(answers.slice(0, -1).map((each) => each.text()));
  });

  test("is not sent by a gateway with a channel", async () => {
    await using sandbox = await startSandbox();
    await using opened = await openTestGateway({
      yaml: `channels:\n${simulatedChannel("real", sandbox.url)}`,
    });

    const answer = await opened.post("/v1/chat/completions", QUESTION);
    const ready = await opened.get("/readyz");

    expect([answer.status, answer.headers.has("sluice-simulated")]).toEqual([200, false]);
    expect([ready.headers.has("sluice-simulated"), await ready.json()]).toEqual([
      false,
      { status: "ok" },
    ]);
  });
});

describe("without a channel", () => {
  const statusOn = async (yaml: string, env: Readonly<Record<string, string>>) => {
    await using opened = await openTestGateway({ yaml, env });
    return (await opened.post("/v1/chat/completions", QUESTION)).status;
  };

  test.each([
    ["127.0.0.1", "", 200],
    ["127.0.0.9", "sandbox: auto", 200],
    ["localhost", "", 200],
    ["127.0.0.1", "sandbox: off", 404],
    ["0.0.0.0", "", 404],
    ["0.0.0.0", "sandbox: auto", 404],
    ["0.0.0.0", "sandbox: on", 200],
  ])("on %s with '%s' a call gets %i", async (host, yaml, status) => {
    expect(await statusOn(yaml, { SLUICE_HOST: host })).toBe(status);
  });

  test.skipIf(!isPostgresReachable)(
    "with PostgreSQL, the simulator answers only if it is enabled",
    async () => {
      await using database = await openScratchDatabase();
      const env = {
        DATABASE_URL: database.url,
        SLUICE_SECRET: "a-secret-of-32-characters-or-more",
      };

      expect(await statusOn("", env)).toBe(404);
      // A busy machine's database may be late for one call.
      await waitFor(async () => (await statusOn("", { ...env, SLUICE_SANDBOX: "on" })) === 200);
    },
  );
});

describe("a misspelt variable of a vendor", () => {
  test("is reported at the gateway's start, and by check and doctor", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-misspelt-"));
    try {
      const env = { SLUICE_DATA_DIR: dataDir, OPENAI_APIKEY: "sk-a-secret-of-the-operator" };
      const said = /OPENAI_APIKEY is not read.*OPENAI_API_KEY/;
      await using program = await startProgram({ ...env, SLUICE_HOST: "0.0.0.0" });
      await waitFor(() => program.output().includes("No channel"));

      expect(program.output()).toMatch(said);
      expect(program.output()).not.toContain("SIMULATED");
      expect(program.output()).toContain("SLUICE_SANDBOX=on");
      await program.end("SIGTERM");

      for (const command of ["check", "doctor"]) {
        const { stdout } = Bun.spawnSync([...PROGRAM, command], {
          env: { PATH: process.env["PATH"] ?? "", SLUICE_PORT: "1", ...env },
        });
        expect(stdout.toString()).toMatch(said);
        expect(stdout.toString()).not.toContain("sk-a-secret");
      }
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
