import { expect, test } from "bun:test";
import { openBooks } from "#test/books.ts";
import { openTestGateway } from "#test/harness.ts";
import { openScriptedVendor } from "#test/scripted-vendor.ts";

const ANSWER = JSON.stringify({
  id: "c",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
});

test("a complete response slower than limits.unary_ms is requested from the next channel, and charged once", async () => {
  await using first = await openScriptedVendor();
  await using second = await openScriptedVendor();
  const channel = (name: string, url: string, priority: number): string => `
  - name: ${name}
    provider: openai
    base_url: ${url}/v1
    api_key: sk-upstream
    models: [gpt-4o-mini]
    priority: ${priority}`;
  await using gateway = await openTestGateway({
    yaml: `channels:${channel("first", first.url, 0)}${channel("second", second.url, 1)}`,
    env: { SLUICE_LIMIT_UNARY_MS: "700", SLUICE_LIMIT_IDLE_MS: "30000" },
  });
  using books = openBooks(gateway.dataDir);
  first.play(Array.from({ length: 400 }, () => [" ", 100]).flat(), "application/json");
  second.play([ANSWER], "application/json");

  const answer = await gateway.post("/v1/chat/completions", {
    model: "gpt-4o-mini",
    messages: [{ role: "user", content: "Say hello." }],
  });

  expect(await answer.text()).toBe(ANSWER);
  await books.whenSettled();
  expect(books.calls()).toMatchObject([{ outcome: "completed", channel: "second" }]);
  const attempts: unknown = JSON.parse(String(books.calls()[0]?.["attempts"]));
  expect(attempts).toMatchObject([
    { channel: "first", fault: "upstream_timeout" },
    { channel: "second", fault: null },
  ]);
}, 60_000);
