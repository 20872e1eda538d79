import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { KEY, openSimulated } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

/** The official clients, unmodified, in front of a key with limits. */

const MODEL = "gpt-4o-mini";

function openLimited(limits: string): ReturnType<typeof openSimulated> {
  return openSimulated({
    channel: `models: [${MODEL}]`,
    yaml: `keys: [{ name: limited, key: ${KEY}, limits: { ${limits} } }]`,
  });
}

const ask = (content: string) => ({
  model: MODEL,
  max_tokens: 50,
  messages: [{ role: "user" as const, content }],
});

/** Holds the only place for a while. */
const SLOW = ask("hi [[fault:slow first_ms=600]]");
const CLIENTS = [
  {
    name: "chat completions",
    create: (url: string, maxRetries: number, send = fetch) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: KEY, maxRetries, fetch: send });
      return (body: ReturnType<typeof ask>) => client.chat.completions.create(body);
    },
    failure: OpenAI.RateLimitError,
  },
  {
    name: "messages",
    create: (url: string, maxRetries: number, send = fetch) => {
      const client = new Anthropic({ baseURL: url, apiKey: KEY, maxRetries, fetch: send });
      return (body: ReturnType<typeof ask>) => client.messages.create(body);
    },
    failure: Anthropic.RateLimitError,
  },
] as const;

describe.each(CLIENTS.map((each) => [each.name, each] as const))(
  "the client of %s",
  (_name, { create, failure }) => {
    test("[A8] recognises a rate limit error", async () => {
      await using opened = await openLimited("rpm: 1");
      const call = create(opened.url, 0);
      await call(ask("hi"));

      const error: unknown = await call(ask("hi")).then(
        () => undefined,
        (cause: unknown) => cause,
      );

      expect(error).toBeInstanceOf(failure);
      expect(error).toMatchObject({ status: 429, message: expect.stringContaining("1 requests") });
    });

    test("retries after the given time, and then succeeds", async () => {
      await using opened = await openLimited("concurrency: 1");
      const slow = create(opened.url, 0)(SLOW);
      await waitFor(() => opened.sandbox.requests.length === 1);
      const startedAt = performance.now();

      // Once is enough on an idle machine.
      await create(opened.url, 5)(ask("hi"));

      expect(performance.now() - startedAt).toBeGreaterThan(900);
      await slow;
    });

    test("does not retry a call that will never fit", async () => {
      await using opened = await openLimited("tpm: 100");
      let sent = 0;
      const counting = Object.assign(
        (...request: Parameters<typeof fetch>) => {
          sent++;
          return fetch(...request);
        },
        { preconnect: fetch.preconnect },
      );

      const error: unknown = await create(
        opened.url,
        3,
        counting,
      )({ ...ask("hi"), max_tokens: 500 }).then(
        () => undefined,
        (cause: unknown) => cause,
      );

      expect(error).toBeInstanceOf(failure);
      expect(sent).toBe(1);
    });
  },
);
