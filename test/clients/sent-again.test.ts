import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openBooks } from "#test/books.ts";
import { KEY, openSimulated } from "#test/harness.ts";

/** Official clients, unmodified: they send a request again by themselves, and wait where they are told to. */
let opened: Awaited<ReturnType<typeof openSimulated>>;
beforeAll(async () => {
  opened = await openSimulated({ channel: "models: [gpt-4o-mini]" });
});
afterAll(() => opened[Symbol.asyncDispose]());

const SLOW = "Say hi [[fault:slow first_ms=500]]";
const MESSAGES = [{ role: "user" as const, content: SLOW }];

function chargedCalls(): number {
  using books = openBooks(opened.dataDir);
  return books.calls().filter(({ cost }) => Number(cost) > 0).length;
}

test("two of OpenAI's clients with one idempotency key get one response, and one charge", async () => {
  const client = new OpenAI({ baseURL: `${opened.url}/v1`, apiKey: KEY, maxRetries: 3 });
  const headers = { "Idempotency-Key": "openai-1" };
  const ask = () =>
    client.chat.completions.create({ model: "gpt-4o-mini", messages: MESSAGES }, { headers });
  const before = chargedCalls();

  const [one, two] = await Promise.all([ask(), ask()]);

  expect(two).toEqual(one);
  expect(chargedCalls() - before).toBe(1);
});

test("a client that timed out, and retries, is charged for the response that it gets", async () => {
  const client = new OpenAI({
    baseURL: `${opened.url}/v1`,
    apiKey: KEY,
    maxRetries: 3,
  });
  const headers = { "Idempotency-Key": "openai-2" };
  const before = chargedCalls();
  const ask = (timeout: number) =>
    client.chat.completions.create(
      { model: "gpt-4o-mini", messages: MESSAGES },
      { headers, timeout, maxRetries: timeout < 500 ? 0 : 3 },
    );

  const gaveUp = await ask(200).catch((cause: unknown) => cause);
  const answered = await ask(5_000);

  expect(gaveUp).toBeInstanceOf(OpenAI.APIConnectionTimeoutError);
  expect(answered.choices[0]?.finish_reason).toBe("stop");
  expect(chargedCalls() - before).toBe(1);
});

test("Anthropic's client reads a repeated stream like the first one", async () => {
  const client = new Anthropic({ baseURL: opened.url, apiKey: KEY, maxRetries: 3 });
  const headers = { "Idempotency-Key": "anthropic-1" };
  const ask = () =>
    client.messages
      .stream({ model: "gpt-4o-mini", max_tokens: 50, messages: MESSAGES }, { headers })
      .finalMessage();
  const before = chargedCalls();

  const first = await ask();
  const again = await ask();

  expect(again).toEqual(first);
  expect(chargedCalls() - before).toBe(1);
});
