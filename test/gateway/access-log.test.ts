import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { KEY, openSimulated, openTestGateway } from "#test/harness.ts";
import { openScratchFolder } from "#test/scratch-folder.ts";

const CANARY = "kanarienvogel";

function linesIn(path: string): Record<string, unknown>[] {
  const text = readFileSync(path, "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("each call is one line of the access log, without any text of it", async () => {
  using folder = openScratchFolder();
  const path = join(folder.path, "calls.log");
  const ids: (string | null)[] = [];
  {
    await using gateway = await openSimulated({ env: { SLUICE_ACCESS_LOG: path } });
    const messages = [{ role: "user", content: CANARY }];
    for (const body of [
      { model: "gpt-4o", messages },
      { model: "gpt-4o", messages, stream: true },
      { model: CANARY, messages },
    ]) {
      const response = await gateway.post("/v1/chat/completions", body);
      await response.text();
      ids.push(response.headers.get("x-request-id"));
    }
  }

  const lines = linesIn(path);
  expect(lines.map(({ id }) => String(id))).toEqual(ids.map(String));
  expect(lines).toMatchObject([
    {
      status: 200,
      model: "gpt-4o",
      channel: "sim",
      style: "chat",
      endpoint: "text",
      stream: false,
      attempts: 1,
    },
    {
      status: 200,
      model: "gpt-4o",
      channel: "sim",
      style: "chat",
      endpoint: "text",
      stream: true,
      attempts: 1,
    },
    { status: 404, model: null, channel: null, outcome: "failed", fault: "model_not_found" },
  ]);
  for (const { overhead_ms: overhead, upstream_ms: upstream } of lines.slice(0, 2)) {
    expect(Number(overhead)).toBeGreaterThan(0);
    expect(Number(upstream)).toBeGreaterThan(0);
  }
  const text = readFileSync(path, "utf8");
  expect(text).not.toContain(KEY);
  expect(text).not.toContain(CANARY);
});

test("the upstream's time and the gateway's own time are separate fields", async () => {
  using folder = openScratchFolder();
  const path = join(folder.path, "calls.log");
  {
    await using gateway = await openSimulated({ env: { SLUICE_ACCESS_LOG: path } });
    for (const stream of [false, true]) {
      const content = "hi [[fault:slow first_ms=300]]";
      const body = { model: "gpt-4o", stream, messages: [{ role: "user", content }] };
      await (await gateway.post("/v1/chat/completions", body)).text();
    }
  }

  for (const { upstream_ms: upstream, overhead_ms: overhead } of linesIn(path)) {
    expect(Number(upstream)).toBeGreaterThanOrEqual(290);
    expect(Number(overhead)).toBeLessThan(200);
  }
});

test("a file that cannot be opened prevents the start, with its path and its setting", async () => {
  const path = join("/dev/null", "calls.log");

  const starting = openTestGateway({ yaml: "", env: { SLUICE_ACCESS_LOG: path } });

  expect(starting).rejects.toThrow(
    `Cannot open the access log at ${path}. Check access_log.to: the folder must exist`,
  );
  await starting.catch(() => {});
});
