import { expect, test } from "bun:test";
import { openLog } from "#lib/log.ts";
import { openTestGateway } from "#test/harness.ts";

test("a call that is turned away for want of an upstream is a short line in the log", async () => {
  const lines: string[] = [];
  const log = openLog("trace", { write: (line) => void lines.push(line) });
  await using closed = openClosedPort();
  await using gateway = await openTestGateway({
    yaml: `channels:\n  - { name: one, provider: openai-compatible, base_url: "${closed.url}", api_key: secret, models: [m] }`,
    log,
  });
  const call = async (): Promise<number> => {
    const messages = [{ role: "user", content: "private words" }];
    return (await gateway.post("/v1/chat/completions", { model: "m", messages })).status;
  };

  // Until the channel rests after its failures.
  let status = await call();
  for (let each = 0; each < 20 && status !== 503; each++) status = await call();

  expect(status).toBe(503);
  const last = lines.at(-1) ?? "";
  expect(JSON.parse(last)).toMatchObject({ level: 50, code: "unavailable" });
  expect(last).not.toContain("stack");
  expect(lines.join("")).not.toContain("private words");
});

/** Nobody listens there. */
function openClosedPort(): AsyncDisposable & { readonly url: string } {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const url = `http://127.0.0.1:${server.port}/v1`;
  const stopped = server.stop(true);
  return { url, [Symbol.asyncDispose]: () => stopped };
}

test("a thousand refused calls are a few lines, with how many there were", async () => {
  const lines: { code?: string; count?: number }[] = [];
  const log = openLog("trace", {
    write: (line) => void lines.push(JSON.parse(line) as { code?: string; count?: number }),
  });
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
  expect(told.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(calls);
  expect(told.length).toBeLessThan(calls / 4);
});
