import { afterAll, beforeAll, expect, test } from "bun:test";
import { openSimulated } from "#test/harness.ts";

let opened: Awaited<ReturnType<typeof openSimulated>>;
beforeAll(async () => {
  opened = await openSimulated({
    channel: "models: [gpt-4o-mini]\nmax_concurrent: 4",
    env: { SLUICE_LIMIT_IN_FLIGHT: "6" },
  });
});
afterAll(() => opened[Symbol.asyncDispose]());

const ask = (content: string, stream = false): Promise<Response> =>
  opened.post("/v1/chat/completions", {
    model: "gpt-4o-mini",
    stream,
    messages: [{ role: "user", content }],
  });

test("a channel serves no more concurrent calls than its limit, including running streams", async () => {
  const streams = await Promise.all(
    Array.from({ length: 6 }, () => ask("Count to 30 [[fault:slow between_ms=20]]", true)),
  );

  const statuses = streams.map((each) => each.status).sort((a, b) => a - b);
  expect(statuses).toEqual([200, 200, 200, 200, 503, 503]);
  expect(streams.find((each) => each.status === 503)?.headers.has("retry-after")).toBe(true);

  await Promise.all(streams.map((each) => each.text()));
  expect((await ask("Reply with exactly: pong")).status).toBe(200);
});

test("every slot is released, with any end of the call", async () => {
  const ends = ["[[fault:status code=500]]", "[[fault:truncate events=2]]", "please refuse", "hi"];
  for (let i = 0; i < 24; i++) {
    opened.gateway.health.forgetAll();
    await (await ask(ends[i % ends.length] ?? "", i % 2 === 0)).text();
  }

  opened.gateway.health.forgetAll();
  const [channel] = opened.gateway.channels;
  expect(channel && opened.gateway.health.inFlight(channel)).toBe(0);
  const answers = await Promise.all(Array.from({ length: 4 }, () => ask("hi")));
  expect(answers.map((each) => each.status)).toEqual([200, 200, 200, 200]);
});

test("the gateway serves no more concurrent calls than its total limit", async () => {
  await using small = await openSimulated({
    channel: "models: [gpt-4o-mini]",
    env: { SLUICE_LIMIT_IN_FLIGHT: "3" },
  });
  const answers = await Promise.all(
    Array.from({ length: 5 }, () =>
      small.post("/v1/chat/completions", {
        model: "gpt-4o-mini",
        messages: [{ role: "user", content: "hi [[fault:slow first_ms=300]]" }],
      }),
    ),
  );

  expect(answers.map((each) => each.status).sort((a, b) => a - b)).toEqual([
    200, 200, 200, 503, 503,
  ]);
});

test("a conversation longer than the operator allows is refused with a reason", async () => {
  await using small = await openSimulated({
    channel: "models: [gpt-4o-mini]",
    env: { SLUICE_LIMIT_MESSAGES: "3" },
  });
  const answer = await small.post("/v1/chat/completions", {
    model: "gpt-4o-mini",
    messages: Array.from({ length: 4 }, () => ({ role: "user", content: "hi" })),
  });

  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { param: "messages" } });
});
