import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { objectOf } from "#lib/values.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { KEY, openTestGateway, type TestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";
import type { Caller, Seen } from "../matrix/caller.ts";
import { chatCaller } from "../matrix/callers/chat.ts";
import { messagesCaller } from "../matrix/callers/messages.ts";
import { nativeCaller } from "../matrix/callers/native.ts";
import { responsesCaller } from "../matrix/callers/responses.ts";

const MODEL = "gemini-4-argon";
const COUNT = "Count from 1 to 40.";
/** A few words a request. */
const LONG = `${COUNT} [[fault:hop tokens=30]]`;

const POOR = "poor-key-0123456789abcdefgh";

let sandbox: Sandbox;
let gateway: TestGateway;
let off: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox();
  const yaml = [
    "channels:",
    `  - { name: google, provider: gemini, base_url: "${sandbox.url}/gemini/v1beta", api_key: upstream-secret-of-the-operator, models: [${MODEL}] }`,
  ].join("\n");
  gateway = await openTestGateway({
    yaml: `${yaml}\nkeys: [{ name: one, key: ${POOR}-1, quota: 0.036 }, { name: two, key: ${POOR}-2, quota: 0.036 }]`,
  });
  off = await openTestGateway({ yaml: `${yaml}\nlimits: { continuations: 0 }` });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await off[Symbol.asyncDispose]();
  await sandbox.stop();
});

interface Heard {
  readonly seen: Seen;
  /** What the vendor was asked for it. */
  readonly asked: readonly JsonObject[];
  readonly text: string;
}

async function listen(
  caller: Caller,
  text: string,
  { stream, at = gateway, more = {} }: { stream: boolean; at?: TestGateway; more?: JsonObject },
): Promise<Heard> {
  const before = sandbox.requests.length;
  const turns = [{ role: "user", text } as const];
  const { path, body } = caller.request({ model: MODEL, turns, stream });
  const answer = await at.post(path, { ...body, ...more });
  const said = await answer.text();
  const json = parseJson(said);
  const seen = stream ? caller.readStream(said) : caller.readWhole(isObject(json) ? json : {});
  const asked = sandbox.requests.slice(before).map((each) => objectOf(each.body as never) ?? {});
  return { seen, asked, text: said };
}

const TRANSLATED = [chatCaller, responsesCaller, messagesCaller];

describe.each([true, false])("a response that takes several requests (streamed: %p)", (stream) => {
  test.each(TRANSLATED)("is one response for a client of $id", async (caller) => {
    const plain = await listen(caller, COUNT, { stream });
    const joined = await listen(caller, LONG, { stream });

    expect(joined.seen.error).toBeUndefined();
    expect([joined.seen.text, joined.seen.finish]).toEqual([plain.seen.text, "stop"]);
    expect(joined.asked.length).toBeGreaterThan(2);
    const tokens = joined.asked.map(({ continuationToken = "" }) => continuationToken);
    expect(tokens.indexOf("")).toBe(0);
    expect(new Set(tokens).size).toBe(tokens.length);
    // The rest of what was asked stays the same, so that its maximum is that of the whole.
    const rest = joined.asked.map((body) =>
      JSON.stringify({ ...body, continuationToken: undefined }),
    );
    expect(new Set(rest).size).toBe(1);
  });

  test("counts the tokens of each request", async () => {
    const plain = await listen(chatCaller, COUNT, { stream });
    const joined = await listen(chatCaller, LONG, { stream });
    const hops = joined.asked.length;
    const [input, output] = [joined.seen.usage?.input ?? 0, joined.seen.usage?.output ?? 0];

    expect(output).toBe(plain.seen.usage?.output ?? -1);
    expect(input % hops).toBe(0);
    expect(input / hops).toBeGreaterThanOrEqual(plain.seen.usage?.input ?? Infinity);
  });

  test("is one text for clients of styles with blocks", async () => {
    const { text } = await listen(messagesCaller, LONG, { stream });
    const texts = text.match(
      stream ? /"content_block":\s*\{"type":\s*"text"/g : /"type":\s*"text"/g,
    );
    expect(texts?.length).toBe(1);
  });

  test("ends at the client's limit, over all requests", async () => {
    const { seen, asked } = await listen(chatCaller, LONG, {
      stream,
      more: { max_tokens: 80, reasoning_effort: "low" },
    });
    expect([seen.finish, seen.usage?.output]).toEqual(["length", 80]);
    expect(asked.length).toBeGreaterThan(1);
  });

  test("ends with its first request if continuations are disabled", async () => {
    const { seen, asked } = await listen(chatCaller, LONG, { stream, at: off });
    expect([seen.finish, asked.length]).toEqual(["length", 1]);
  });

  test("is the vendor's own, with its token, for clients of its style", async () => {
    const { text, asked } = await listen(nativeCaller, LONG, { stream });
    expect(asked.length).toBe(1);
    expect(text).toContain('"CONTINUATION"');
    expect(text).toContain("continuationToken");

    const token = /"continuationToken":\s*"([^"]+)"/.exec(text)?.[1] ?? "";
    const next = await listen(nativeCaller, LONG, { stream, more: { continuationToken: token } });
    expect(next.seen.error).toBeUndefined();
    expect(next.text).not.toBe(text);
  });
});

test.each([true, false])(
  "a response ends if its client's quota is used up (streamed: %p)",
  async (stream) => {
    const before = sandbox.requests.length;
    const answer = await gateway.post(
      "/v1/chat/completions",
      {
        model: MODEL,
        max_tokens: 100,
        stream,
        messages: [
          {
            role: "user",
            content: `${stream ? "One" : "Two"} ${"much to read ".repeat(3_500)} ${LONG}`,
          },
        ],
      },
      { authorization: `Bearer ${POOR}-${stream ? 1 : 2}` },
    );
    const text = await answer.text();

    expect([answer.status, text.includes('"finish_reason":"length"')]).toEqual([200, true]);
    expect(sandbox.requests.length - before).toBe(1);
  },
);

test("a request that fails midway ends with an error, never with a normal end", async () => {
  const before = sandbox.requests.length;
  const queued = listen(
    chatCaller,
    "Count from 1 to 60. [[fault:hop tokens=60]] [[fault:slow between_ms=20]]",
    {
      stream: true,
    },
  );
  await waitFor(() => sandbox.requests.length > before);
  await fetch(`${sandbox.url}/_sandbox/faults`, {
    method: "POST",
    body: JSON.stringify({ name: "status", args: { code: "500" } }),
  });
  const { text: broken } = await queued;
  expect(broken).toContain('"error"');
  expect(broken).not.toContain('"finish_reason":"stop"');
});

test("a client that disconnects during a later request cancels that request", async () => {
  const before = sandbox.requests.length;
  const abort = new AbortController();
  const body = {
    model: MODEL,
    stream: true,
    messages: [
      {
        role: "user",
        content: "Count from 1 to 200. [[fault:hop tokens=30]] [[fault:slow between_ms=30]]",
      },
    ],
  };
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: abort.signal,
  });
  expect(answer.status).toBe(200);
  await waitFor(() => sandbox.requests.length >= before + 3);
  abort.abort();
  await waitFor(() => sandbox.requests.slice(before).every(({ state }) => state !== "open"));
  // Of more than a dozen that the whole answer takes.
  expect(sandbox.requests.length - before).toBeLessThan(8);
});
