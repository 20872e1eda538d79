import { expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import { openLog } from "#lib/log.ts";
import { ThrottledLog } from "#lib/throttled-log.ts";
import { logFailure } from "../../src/gateway/failure-log.ts";
import { openTestGateway } from "#test/harness.ts";

function openLines() {
  const lines: Record<string, unknown>[] = [];
  const log = openLog("trace", {
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  return { lines, log };
}

test("a call refused for lack of capacity is one short log line", () => {
  const { lines, log } = openLines();

  logFailure(new ThrottledLog(log), new GatewayError("unavailable", "private words"), "id");

  expect(lines).toMatchObject([{ level: 50, code: "unavailable", requestId: "id" }]);
  expect(JSON.stringify(lines)).not.toMatch(/stack|private words/);
});

test("a call with an upstream failure logs the place of the failure, without text of the request", async () => {
  const { lines, log } = openLines();
  await using closed = openClosedPort();
  await using gateway = await openTestGateway({
    yaml: `channels:\n  - { name: one, provider: openai-compatible, base_url: "${closed.url}", api_key: a-credential-of-ours, models: [m] }`,
    log,
  });

  const messages = [{ role: "user", content: "private words" }];
  const response = await gateway.post("/v1/chat/completions", { model: "m", messages });

  expect(response.status).toBe(502);
  expect(lines.at(-1)).toMatchObject({
    level: 40,
    msg: "upstream request failed",
    code: "upstream_unreachable",
    requestId: response.headers.get("x-request-id"),
    channel: "one",
    model: "m",
    credential: "...ours",
    status: null,
  });
  expect(JSON.stringify(lines)).not.toMatch(/private words|stack/);
});

/** Nobody listens there. */
function openClosedPort(): AsyncDisposable & { readonly url: string } {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const url = `http://127.0.0.1:${server.port}/v1`;
  const stopped = server.stop(true);
  return { url, [Symbol.asyncDispose]: () => stopped };
}

test("a thousand refused calls are a few log lines with a count", async () => {
  const { lines, log } = openLines();
  await using closed = openClosedPort();
  const calls = 1_000;
  {
    await using gateway = await openTestGateway({
      yaml: `channels:\n  - { name: one, provider: openai-compatible, base_url: "${closed.url}", api_key: secret, models: [m] }`,
      log,
    });
    for (let each = 0; each < calls; each += 50) {
      const body = { model: "m", messages: [{ role: "user", content: "hi" }] };
      const sent = Array.from({ length: 50 }, () => gateway.post("/v1/chat/completions", body));
      await Promise.all((await Promise.all(sent)).map((response) => response.text()));
    }
  }

  const told = lines.filter(({ code }) => code !== undefined);
  expect(told.reduce((sum, { count }) => sum + Number(count ?? 1), 0)).toBe(calls);
  expect(told.length).toBeLessThan(calls / 4);
});
