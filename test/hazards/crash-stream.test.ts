import { expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countTokens } from "#relay/metering/tokens.ts";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { openBooks } from "#test/books.ts";
import { KEY, simulatedChannel } from "#test/harness.ts";
import { startProgram } from "#test/program.ts";
import { summarize } from "#test/streams.ts";
import { waitFor } from "#test/wait.ts";

test("a stream interrupted by a crash is charged and recorded with its delivered part", async () => {
  await using sandbox = await startSandbox();
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-cut-"));
  writeFileSync(
    join(dataDir, "sluice.yaml"),
    `channels:\n${simulatedChannel("sim", sandbox.url, "models: [gpt-4o-mini]")}`,
  );
  const env = {
    SLUICE_CONFIG: join(dataDir, "sluice.yaml"),
    SLUICE_DATA_DIR: dataDir,
    SLUICE_BOOTSTRAP_KEY: KEY,
    SLUICE_CHECKPOINT_MS: "100",
  };
  await using running = await startProgram(env);
  const answer = await fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "gpt-4o-mini",
      stream: true,
      messages: [{ role: "user", content: "Count to 1000 [[fault:slow between_ms=30]]" }],
    }),
  });
  const id = answer.headers.get("x-request-id");
  let received = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      received += decoder.decode(chunk, { stream: true });
    }
  })().catch(() => {});
  // The tokenizer may still be loading when the stream begins.
  using before = openBooks(dataDir);
  await waitFor(() => Number(before.openHolds()[0]?.["checkpoint"] ?? 0) > 20_000, 60_000);
  await running.end("SIGKILL");
  await reading;
  await using next = await startProgram(env);
  await next.end("SIGTERM");

  using books = openBooks(dataDir);
  const call = books.calls().find((each) => each["id"] === id);
  expect(call).toMatchObject({
    outcome: "interrupted",
    is_stream: 1,
    is_estimated: 1,
    provider: "openai",
    channel: "sim",
    upstream_model: "gpt-4o-mini",
  });
  // What came since the last note is not paid, and more than came is never paid.
  const most = await countTokens(summarize(received).text);
  expect(Number(call?.["output_tokens"])).toBeWithin(20, most + 2);
  const rates = JSON.parse(String(call?.["rates"] ?? "{}")) as Record<string, number>;
  expect(Number(call?.["cost"])).toBeGreaterThan(0);
  expect(rates).not.toEqual({});
  expect(books.verify()).toEqual([]);
}, 120_000);

test("a call interrupted by a crash before its first checkpoint is found by its client's session", async () => {
  await using sandbox = await startSandbox();
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-cut-"));
  writeFileSync(
    join(dataDir, "sluice.yaml"),
    `channels:\n${simulatedChannel("sim", sandbox.url, "models: [gpt-4o-mini]")}`,
  );
  const env = {
    SLUICE_CONFIG: join(dataDir, "sluice.yaml"),
    SLUICE_DATA_DIR: dataDir,
    SLUICE_BOOTSTRAP_KEY: KEY,
  };
  await using running = await startProgram(env);
  const asking = fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${KEY}`,
      "content-type": "application/json",
      "x-claude-code-session-id": "session-7",
      "x-claude-code-agent-id": "agent-3",
    },
    body: JSON.stringify({
      model: "gpt-4o-mini",
      stream: true,
      messages: [{ role: "user", content: "Hi [[fault:slow first_ms=60000]]" }],
    }),
  }).catch(() => {});
  using before = openBooks(dataDir);
  await waitFor(() => before.openHolds().length > 0, 60_000);
  await running.end("SIGKILL");
  await asking;
  await using next = await startProgram(env);
  await next.end("SIGTERM");

  using books = openBooks(dataDir);
  expect(books.calls()).toMatchObject([
    { outcome: "interrupted", session_id: "session-7", agent_id: "agent-3" },
  ]);
}, 120_000);
