import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { countTokens } from "#relay/metering/tokens.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openBooks, type Books } from "#test/books.ts";
import { openRawUpstream, OK, type RawUpstream } from "#test/egress/raw-upstream.ts";
import { KEY, openTestGateway, simulatedChannel, type TestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

const CLAUDE = "claude-sonnet-4-5-20250929";

let sandbox: Sandbox;
let gateway: TestGateway;
let books: Books;
let raw: RawUpstream;
/** What the raw upstream answers, in one write. */
let script: { readonly answer: string; readonly isReset: boolean };
beforeAll(async () => {
  raw = await openRawUpstream((socket) => {
    socket.write(script.answer);
    if (script.isReset) socket.resetAndDestroy();
  });
  sandbox = await startSandbox();
  gateway = await openTestGateway({
    yaml: `channels:
${simulatedChannel("chat", sandbox.url, "models: [gpt-4o-mini]")}
  - name: messages
    provider: anthropic
    base_url: ${sandbox.url}/anthropic/v1
    api_key: sk-ant-api03-upstream-secret-of-the-operator
    models: [${CLAUDE}]
  - name: raw
    provider: openai
    base_url: http://127.0.0.1:${raw.port}/v1
    api_key: sk-upstream-secret-of-the-operator
    models: [gpt-4o]`,
    env: { SLUICE_CHECKPOINT_MS: "50" },
  });
  books = openBooks(gateway.dataDir);
});
afterAll(async () => {
  books.close();
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
  await raw[Symbol.asyncDispose]();
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

const WORDS = ["One", " two", " three", " four", " five", " six", " seven", " eight"];
const EVENTS = WORDS.map((content) => {
  const chunk = {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_800_000_000,
    model: "gpt-4o",
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}).join("");
const CHUNKED = `${OK}Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n`;
const CHUNK = `${EVENTS.length.toString(16)}\r\n${EVENTS}\r\n`;
const MORE = EVENTS.length + 100;
const SIZED = `${OK}Content-Type: text/event-stream\r\nContent-Length: ${MORE}\r\n\r\n${EVENTS}`;

describe.each([
  ["a malformed chunk", `${CHUNKED}${CHUNK}nonsense\r\n`, false],
  ["a reset amid chunks", `${CHUNKED}${CHUNK}`, true],
  ["a reset before the announced length", SIZED, true],
])("a stream that %s breaks off in the write of its last words", (_by, answer, isReset) => {
  test.each(["/v1/chat/completions", "/v1/messages"])(
    "%s: the words are delivered and charged, then the error is reported",
    async (path) => {
      script = { answer, isReset };
      gateway.gateway.health.forgetAll();

      const stream = await (await gateway.post(path, asked("gpt-4o", "Count."))).text();

      expect(await books.whenSettled()).toEqual([]);
      for (const word of WORDS) expect(stream).toContain(`"${word}"`);
      expect(stream.indexOf("broke off")).toBeGreaterThan(stream.indexOf(" eight"));
      const bill = books.calls().at(-1);
      expect(bill).toMatchObject({ outcome: "failed", is_estimated: 1 });
      expect(bill?.["output_tokens"]).toBe(await countTokens(WORDS.join("")));
    },
  );
});
