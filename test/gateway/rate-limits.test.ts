import { describe, expect, test } from "bun:test";
import { estimateInputTokens } from "#core/count.ts";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { openBooks } from "#test/books.ts";
import {
  KEY,
  openSimulated,
  openTestGateway,
  simulatedChannel,
  type TestGateway,
} from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

const MODEL = "gpt-4o-mini";
const CHANNEL = `models: [${MODEL}]`;
const OTHER_KEY = "another-key-0123456789abcdefgh";

type Opened = Awaited<ReturnType<typeof openSimulated>>;

/** A gateway whose key has these limits. */
function openLimited(limits: string, more = ""): Promise<Opened> {
  return openSimulated({
    channel: CHANNEL,
    yaml: `keys:\n  - { name: limited, key: ${KEY}, limits: { ${limits} } }\n${more}`,
  });
}

/** The same call in each style. */
const STYLES = [
  {
    style: "chat",
    path: () => "/v1/chat/completions",
    body: (content: string, stream: boolean) => ({
      model: MODEL,
      stream,
      max_tokens: 20,
      messages: [{ role: "user", content }],
    }),
    refusal: { error: { code: "rate_limit_exceeded", message: expect.any(String) } },
  },
  {
    style: "responses",
    path: () => "/v1/responses",
    body: (content: string, stream: boolean) => ({
      model: MODEL,
      stream,
      max_output_tokens: 20,
      input: content,
    }),
    refusal: { error: { code: "rate_limit_exceeded", message: expect.any(String) } },
  },
  {
    style: "messages",
    path: () => "/v1/messages",
    body: (content: string, stream: boolean) => ({
      model: MODEL,
      stream,
      max_tokens: 20,
      messages: [{ role: "user", content }],
    }),
    refusal: { type: "error", error: { type: "rate_limit_error", message: expect.any(String) } },
  },
  {
    style: "native",
    path: (stream: boolean) =>
      `/v1beta/models/${MODEL}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: (content: string) => ({
      contents: [{ role: "user", parts: [{ text: content }] }],
      generationConfig: { maxOutputTokens: 20 },
    }),
    refusal: { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: expect.any(String) } },
  },
] as const;

describe.each(STYLES.map((each) => [each.style, each] as const))(
  "the %s style",
  (style, { path, body, refusal }) => {
    test.each([false, true])(
      "[A8] a key beyond its requests per minute is refused in the client's format (stream: %p)",
      async (stream) => {
        await using opened = await openLimited("rpm: 2, tpm: 100000");
        const ask = (): Promise<Response> => opened.post(path(stream), body("hi", stream));

        const first = await ask();
        await first.text();
        const second = await ask();
        await second.text();
        const third = await ask();

        expect([first.status, second.status, third.status]).toEqual([200, 200, 429]);
        expect(Number(third.headers.get("retry-after"))).toBeWithin(25, 31);
        expect(third.headers.get("x-should-retry")).toBeNull();
        expect(await third.json()).toMatchObject({ ...refusal });

        const told = [first, second, third].map(({ headers }) => [
          headers.get("x-ratelimit-limit-requests"),
          headers.get("x-ratelimit-remaining-requests"),
        ]);
        expect(told).toEqual([
          ["2", "1"],
          ["2", "0"],
          ["2", "0"],
        ]);
        expect(first.headers.get("x-ratelimit-limit-tokens")).toBe("100000");
        expect(Number(first.headers.get("x-ratelimit-remaining-tokens"))).toBeWithin(
          99_900,
          99_980,
        );
        expect(first.headers.get("x-ratelimit-reset-requests")).toMatch(/^(30|29\.\d+)s$/);
        expect(first.headers.get("ratelimit-policy")).toContain('"requests";q=2;w=60');
        expect(first.headers.get("ratelimit")).toContain('"requests";r=1;t=30');
        const reset = first.headers.get("anthropic-ratelimit-requests-reset");
        if (style === "messages") expect(Date.parse(reset ?? "")).toBeGreaterThan(Date.now());
        else expect(reset).toBeNull();
      },
    );

    test("[A8] five of fifty concurrent streams run, and every slot is released", async () => {
      await using opened = await openLimited("concurrency: 5");
      const content = "Count to 30 [[fault:slow between_ms=15]]";
      const run = async (): Promise<number[]> => {
        const all = await Promise.all(
          Array.from({ length: 50 }, () => opened.post(path(true), body(content, true))),
        );
        await Promise.all(all.map((each) => each.text()));
        return all.map(({ status }) => status);
      };

      for (let round = 0; round < 2; round++) {
        const statuses = await run();
        expect(statuses.filter((status) => status === 200)).toHaveLength(5);
        expect(statuses.filter((status) => status === 429)).toHaveLength(45);
      }
      expect(opened.sandbox.requests).toHaveLength(10);
    });
  },
);

const chat = (content: string, more: object = {}): object => ({
  model: MODEL,
  max_tokens: 20,
  messages: [{ role: "user", content }],
  ...more,
});

const ask = (opened: TestGateway, body: object, key = KEY): Promise<Response> =>
  opened.post("/v1/chat/completions", body, { authorization: `Bearer ${key}` });

async function statusOf(answer: Promise<Response>): Promise<number> {
  const { status, text } = await answer.then(async (each) => ({
    status: each.status,
    text: await each.text(),
  }));
  expect(text).not.toBe("");
  return status;
}

test("[A8] a slot is released if a call completes, fails, breaks off, is cancelled or is refused", async () => {
  await using opened = await openLimited("concurrency: 2");
  using books = openBooks(opened.dataDir);
  const ends = [
    "hi",
    "[[fault:status code=500]]",
    "[[fault:truncate events=2]]",
    "[[fault:reset bytes=300]]",
    "please refuse",
  ];
  for (let i = 0; i < 20; i++) {
    opened.gateway.health.forgetAll();
    await (await ask(opened, chat(ends[i % ends.length] ?? "", { stream: i % 2 === 0 }))).text();
  }
  for (const stream of [true, false]) {
    for (let i = 0; i < 6; i++) {
      const leaving = new AbortController();
      const gone = fetch(`${opened.url}/v1/chat/completions`, {
        method: "POST",
        signal: leaving.signal,
        headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
        body: JSON.stringify(chat("Count to 90 [[fault:slow between_ms=20]]", { stream })),
      }).then(
        (answer) => answer.text(),
        () => undefined,
      );
      await Bun.sleep(i * 15);
      leaving.abort();
      await gone.catch(() => undefined);
      await books.whenSettled();
    }
  }
  await statusOf(ask(opened, chat("hi", { model: "no-such-model" })));

  opened.gateway.health.forgetAll();
  const slow = chat("hi [[fault:slow first_ms=200]]");
  // A call whose caller hung up may reach a busy gateway later, and hold its place until then.
  await waitFor(async () => {
    const together = await Promise.all([1, 2, 3].map(() => statusOf(ask(opened, slow))));
    return together.sort((a, b) => a - b).join() === "200,200,429";
  });
}, 60_000);

test("[A8] fifty concurrent calls are admitted up to the tokens of a minute, by their estimates", async () => {
  const slow = chat("hi [[fault:slow first_ms=500]]", { max_tokens: 10 });
  const estimate = estimateInputTokens(JSON.parse(JSON.stringify(slow))) + 10;
  const limit = estimate * 3 + 5;
  await using opened = await openLimited(`tpm: ${limit}`);

  const statuses = await Promise.all(Array.from({ length: 50 }, () => statusOf(ask(opened, slow))));

  expect(statuses.filter((status) => status === 200)).toHaveLength(3);
  expect(statuses.filter((status) => status === 429)).toHaveLength(47);
});

test("tokens that a call did not use are available to the next one", async () => {
  await using opened = await openLimited("tpm: 1000");
  const generous = chat("Reply with exactly: pong", { max_tokens: 800 });

  for (let i = 0; i < 5; i++) expect(await statusOf(ask(opened, generous))).toBe(200);
});

test("[A8] tokens that a call used count in its minute as charged", async () => {
  const body = chat("Count from 1 to 90", { max_tokens: 600 });
  const reserved = estimateInputTokens(JSON.parse(JSON.stringify(body))) + 600;

  for (const stream of [false, true]) {
    await using opened = await openLimited("tpm: 5000");
    using books = openBooks(opened.dataDir);
    await statusOf(ask(opened, { ...body, stream }));
    await waitFor(() => books.calls().length === 1);
    const { input_tokens: input, output_tokens: output } = books.calls()[0] ?? {};
    const used = Number(input) + Number(output);
    const next = await ask(opened, body);
    await next.text();

    expect(used).toBeGreaterThan(100);
    // What a minute brings back in the meantime is 83 tokens a second.
    const left = Number(next.headers.get("x-ratelimit-remaining-tokens"));
    expect(left).toBeWithin(5_000 - used - reserved, 5_000 - used - reserved + 90);
  }
});

test("a call without a length limit is not refused because of the assumed length", async () => {
  await using opened = await openLimited("tpm: 1000");
  const open = { model: MODEL, messages: [{ role: "user", content: "Reply with exactly: pong" }] };

  expect(await statusOf(ask(opened, open))).toBe(200);
});

test("a call that is larger than a minute's limit gets an error without a time to retry", async () => {
  await using opened = await openLimited("tpm: 1000");

  const answer = await ask(opened, chat("hi", { max_tokens: 1_001 }));

  expect(answer.status).toBe(429);
  expect(answer.headers.get("retry-after")).toBeNull();
  expect(answer.headers.get("x-should-retry")).toBe("false");
  const { error } = (await answer.json()) as { error: { message: string } };
  expect(error.message).toContain("1000 tokens a minute");
});

test("a call that is refused later releases its tokens, and its request still counts", async () => {
  await using opened = await openLimited("rpm: 3, tpm: 1000");
  const unknown = chat("hi", { model: "no-such-model", max_tokens: 900 });

  const first = await ask(opened, unknown);
  const second = await ask(opened, unknown);
  const third = await ask(opened, chat("hi", { max_tokens: 900 }));
  const fourth = await ask(opened, chat("hi"));

  expect([first.status, second.status, third.status, fourth.status]).toEqual([404, 404, 200, 429]);
  expect(first.headers.get("x-ratelimit-remaining-requests")).toBe("2");
});

test("a call without sufficient quota releases its tokens and its slot", async () => {
  await using opened = await openSimulated({
    channel: CHANNEL,
    yaml: `keys:\n  - { name: poor, key: ${KEY}, quota: 0, limits: { tpm: 1000, concurrency: 1 } }`,
  });

  const answers = [];
  for (let i = 0; i < 4; i++) answers.push(await ask(opened, chat("hi", { max_tokens: 900 })));

  expect(answers.map(({ status }) => status)).toEqual([402, 402, 402, 402]);
  expect(answers[3]?.headers.get("x-ratelimit-limit-tokens")).toBe("1000");
});

test("keys without limits get no limit headers, and are independent of keys with limits", async () => {
  await using opened = await openLimited("rpm: 1", `  - { name: free, key: ${OTHER_KEY} }`);
  expect(await statusOf(ask(opened, chat("hi")))).toBe(200);
  expect(await statusOf(ask(opened, chat("hi")))).toBe(429);

  const free = await ask(opened, chat("hi"), OTHER_KEY);

  expect(free.status).toBe(200);
  expect([...free.headers.keys()].filter((name) => name.includes("ratelimit"))).toEqual([]);
});

test("the keys of one user share the user's limits", async () => {
  await using opened = await openSimulated({
    channel: CHANNEL,
    yaml: `keys:\n  - { name: one, key: ${KEY} }\n  - { name: two, key: ${OTHER_KEY} }\nusers: { rpm: 3 }`,
  });
  const statuses = [];
  for (const key of [KEY, OTHER_KEY, KEY, OTHER_KEY]) {
    statuses.push(await statusOf(ask(opened, chat("hi"), key)));
  }

  expect(statuses).toEqual([200, 200, 200, 429]);
});

test("a model's limit applies to all its clients, and is hidden from a key that may not use it", async () => {
  await using opened = await openSimulated({
    channel: CHANNEL,
    yaml: `keys:
  - { name: one, key: ${KEY} }
  - { name: two, key: ${OTHER_KEY}, models: [other] }
models:
  ${MODEL}: { limits: { rpm: 2 } }`,
  });
  expect(await statusOf(ask(opened, chat("hi"), OTHER_KEY))).toBe(404);
  expect(await statusOf(ask(opened, chat("hi")))).toBe(200);
  expect(await statusOf(ask(opened, chat("hi")))).toBe(200);

  const refused = await ask(opened, chat("hi"));

  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeWithin(25, 31);
  expect(await statusOf(ask(opened, chat("hi"), OTHER_KEY))).toBe(404);
});

test("a channel at its limit is skipped; if all are, the error has a time to retry", async () => {
  await using first = await startSandbox();
  await using second = await startSandbox();
  const limited = (limits: string): string => `${CHANNEL}\nlimits: { ${limits} }`;
  await using opened = await openTestGateway({
    yaml: `channels:
${simulatedChannel("first", first.url, `${limited("rpm: 2")}\npriority: 0`)}
${simulatedChannel("second", second.url, `${limited("rpm: 1")}\npriority: 1`)}`,
  });

  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push(await statusOf(ask(opened, chat("hi"))));
  const refused = await ask(opened, chat("hi"));

  expect(statuses).toEqual([200, 200, 200]);
  expect([first.requests.length, second.requests.length]).toEqual([2, 1]);
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get("retry-after"))).toBeWithin(25, 31);
  expect([...refused.headers.keys()].filter((name) => name.includes("ratelimit"))).toEqual([]);
});

test("a channel's tokens are released if its call used fewer, or if its upstream failed", async () => {
  await using opened = await openSimulated({ channel: `${CHANNEL}\nlimits: { tpm: 1000 }` });
  const failing = chat("[[fault:status code=500]]", { max_tokens: 900 });
  const good = chat("Reply with exactly: pong", { max_tokens: 900 });

  const statuses = [];
  for (const body of [failing, good, good, good]) statuses.push(await statusOf(ask(opened, body)));

  expect(statuses).toEqual([502, 200, 200, 200]);
});

test("a call refused by a limit is in the journal, without cost", async () => {
  await using opened = await openLimited("rpm: 1");
  using books = openBooks(opened.dataDir);
  await statusOf(ask(opened, chat("hi")));
  await statusOf(ask(opened, chat("hi")));

  await waitFor(() => books.calls().length === 2);
  expect(books.calls()[1]).toMatchObject({ outcome: "failed", fault: "rate_limited", cost: 0 });
  expect(await books.whenSettled()).toEqual([]);
});

test.each([
  ["GET", "/v1/models"],
  ["GET", `/v1/models/${MODEL}`],
  ["GET", "/v1beta/models"],
  ["GET", `/v1beta/models/${MODEL}`],
  ["POST", "/v1/messages/count_tokens"],
  ["POST", `/v1beta/models/${MODEL}:countTokens`],
])("%s %s counts against the limits of its key like a call", async (method, path) => {
  await using gateway = await openLimited("rpm: 2");
  const ask = (): Promise<Response> =>
    method === "GET"
      ? gateway.get(path)
      : gateway.post(path, {
          model: MODEL,
          messages: [{ role: "user", content: "hi" }],
          contents: [{ parts: [{ text: "hi" }] }],
        });

  const answers = [await ask(), await ask(), await ask()];

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(answers[0]?.headers.get("x-ratelimit-remaining-requests")).toBe("1");
  expect(Number(answers[2]?.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("listing models holds no slot: with one concurrent call, the next one is admitted", async () => {
  await using gateway = await openLimited("concurrency: 1");

  for (let each = 0; each < 3; each++) expect((await gateway.get("/v1/models")).status).toBe(200);
});
