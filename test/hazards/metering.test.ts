import { afterAll, beforeAll, expect, test } from "bun:test";
import { countTokens } from "#relay/metering/tokens.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openBooks, type Books } from "#test/books.ts";
import { KEY, openTestGateway, simulatedChannel, type TestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

const CLAUDE = "claude-sonnet-4-5-20250929";

let sandbox: Sandbox;
let gateway: TestGateway;
let books: Books;
beforeAll(async () => {
  sandbox = await startSandbox();
  gateway = await openTestGateway({
    yaml: `channels:
${simulatedChannel("chat", sandbox.url, "models: [gpt-4o-mini]")}
  - name: messages
    provider: anthropic
    base_url: ${sandbox.url}/anthropic/v1
    api_key: sk-ant-api03-upstream-secret-of-the-operator
    models: [${CLAUDE}]`,
    env: { SLUICE_CHECKPOINT_MS: "50" },
  });
  books = openBooks(gateway.dataDir);
});
afterAll(async () => {
  books.close();
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

const asked = (model: string, content: string): object => ({
  model,
  max_tokens: 4_000,
  stream: true,
  messages: [{ role: "user", content }],
});

/** What was written into the blocks of a messages stream, or as much of it as came. */
function textIn(stream: string): string {
  const deltas = stream.matchAll(/"text_delta","text":("(?:[^"\\]|\\.)*")/g);
  return [...deltas].map(([, text = '""']) => String(JSON.parse(text))).join("");
}

test("a long response of an upstream without usage is counted from its start", async () => {
  const answer = await gateway.post(
    "/v1/messages",
    asked("gpt-4o-mini", "Count to 100 [[fault:slow between_ms=3]] [[fault:nousage]]"),
  );
  const stream = await answer.text();

  await books.whenSettled();
  const bill = books.calls().at(-1);
  const delivered = await countTokens(textIn(stream));
  expect(delivered).toBeGreaterThan(100);
  expect(bill).toMatchObject({ outcome: "completed", is_estimated: 1 });
  expect(bill?.["output_tokens"]).toBeWithin(delivered - 1, delivered + 10);
  expect(stream).toContain(`"output_tokens":${bill?.["output_tokens"]}`);
});

test("the delivered part of a messages stream is charged if its client disconnects", async () => {
  const leaving = new AbortController();
  const answer = await fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}` },
    body: JSON.stringify(asked(CLAUDE, "Count to 400 [[fault:slow between_ms=3]]")),
    signal: leaving.signal,
  });
  const reader = answer.body?.getReader();
  const decoder = new TextDecoder();
  let received = "";
  while (reader !== undefined && received.length < 8_000) {
    received += decoder.decode((await reader.read()).value, { stream: true });
  }
  const { length } = books.calls();
  leaving.abort();

  await waitFor(() => books.calls().length > length);
  await books.whenSettled();
  const bill = books.calls().at(-1);
  const delivered = await countTokens(textIn(received));
  expect(delivered).toBeGreaterThan(20);
  const told = Number(/"input_tokens":(\d+)/.exec(received)?.[1]);
  expect(bill).toMatchObject({ outcome: "canceled", is_estimated: 1, input_tokens: told });
  expect(bill?.["output_tokens"]).toBeGreaterThanOrEqual(delivered);
});
