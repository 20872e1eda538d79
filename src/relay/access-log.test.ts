import { expect, test } from "bun:test";
import type { CallRecord } from "#core/call.ts";
import { nanoUsd } from "#core/money.ts";
import { NO_USAGE } from "#core/usage.ts";
import { AccessLog } from "./access-log.ts";

const SERVED: CallRecord = {
  id: "call-1",
  at: 1_000,
  userId: 2,
  keyId: 3,
  model: "asked",
  upstreamModel: "sent",
  channel: "one",
  provider: "openai",
  style: "chat",
  isStream: true,
  outcome: "completed",
  fault: null,
  usage: { ...NO_USAGE, inputTokens: 10, cachedInputTokens: 4, outputTokens: 5 },
  cost: nanoUsd(1_500_000),
  firstByteMs: 20,
  durationMs: 50,
  upstreamMs: 18.123_456,
  overheadMs: 0.5,
  attempts: [{ channel: "one", credential: "", fault: null, status: 200, durationMs: 40 }],
  lost: [],
  tags: { session: "session-of-the-client" },
};

const REFUSED: CallRecord = {
  ...SERVED,
  id: "call-2",
  upstreamModel: null,
  channel: null,
  provider: null,
  outcome: "failed",
  fault: "model_not_found",
  usage: NO_USAGE,
  cost: nanoUsd(0),
  firstByteMs: null,
  upstreamMs: 0,
  overheadMs: null,
  attempts: [],
};

/** Writes the records, and ends the log. */
async function linesOf(...records: readonly CallRecord[]) {
  const lines: Record<string, unknown>[] = [];
  {
    await using log = new AccessLog({
      async write(text) {
        for (const line of text.trimEnd().split("\n"))
          lines.push(JSON.parse(line) as Record<string, unknown>);
      },
      onError: (cause) => {
        throw cause;
      },
      onDropped: () => {},
    });
    for (const record of records) log.observe(record);
  }
  return lines;
}

test("a served call is one line with its ids, names, counts, cost and times", async () => {
  expect(await linesOf(SERVED)).toEqual([
    {
      time: "1970-01-01T00:00:01.000Z",
      id: "call-1",
      user: 2,
      key: 3,
      style: "chat",
      endpoint: null,
      model: "asked",
      upstream_model: "sent",
      channel: "one",
      provider: "openai",
      stream: true,
      status: 200,
      outcome: "completed",
      fault: null,
      input_tokens: 10,
      cached_input_tokens: 4,
      cache_write_tokens: 0,
      output_tokens: 5,
      reasoning_tokens: 0,
      cost_usd: 0.0015,
      attempts: 1,
      first_byte_ms: 20,
      duration_ms: 50,
      upstream_ms: 18.123,
      overhead_ms: 0.5,
    },
  ]);
});

test("a line names the endpoint, and has no time that is unknown", async () => {
  const { upstreamMs: _, ...record } = SERVED;
  const [line] = await linesOf({ ...record, endpoint: "text", overheadMs: null });

  expect(line).toMatchObject({ endpoint: "text", upstream_ms: null, overhead_ms: null });
});

test("an unknown model is text of the client, and is not written", async () => {
  const [line] = await linesOf({ ...REFUSED, model: "any text" });

  expect(line).toMatchObject({ status: 404, fault: "model_not_found", model: null });
});

test("the model of a refused call is written if it was served before", async () => {
  const limited: CallRecord = { ...REFUSED, fault: "rate_limited" };

  expect((await linesOf(limited, SERVED, limited)).map(({ model }) => model)).toEqual([
    null,
    "asked",
    "asked",
  ]);
});

test("a call that its client ended has status 499", async () => {
  const [line] = await linesOf({ ...SERVED, outcome: "canceled", fault: "canceled" });

  expect(line).toMatchObject({ status: 499, outcome: "canceled" });
});

test("calls are written in batches, in order, and none is lost at the end", async () => {
  const records = Array.from({ length: 1_201 }, (_, i) => ({ ...SERVED, id: `call-${i}` }));

  const lines = await linesOf(...records);

  expect(lines.map(({ id }) => id)).toEqual(records.map(({ id }) => id));
});

test("if writing stalls, later calls are dropped and counted, and no call waits", async () => {
  const { promise: stalled, resolve } = Promise.withResolvers<void>();
  let written = 0;
  let dropped = 0;
  {
    await using log = new AccessLog({
      async write(text) {
        await stalled;
        written += text.split("\n").length - 1;
      },
      onError: () => {},
      onDropped: (count) => (dropped += count),
    });
    for (let i = 0; i < 20_100; i++) log.observe(SERVED);
    resolve();
  }

  expect(written).toBe(20_000);
  expect(dropped).toBe(100);
});

test("lines that cannot be written are reported, and the next ones are written", async () => {
  const failures: unknown[] = [];
  const failure = new Error("disk full");
  let written = 0;
  let isBroken = true;
  {
    await using log = new AccessLog({
      async write() {
        if (isBroken) {
          isBroken = false;
          throw failure;
        }
        written++;
      },
      onError: (cause) => void failures.push(cause),
      onDropped: () => {},
    });
    for (let i = 0; i < 501; i++) log.observe(SERVED);
  }

  expect(failures).toEqual([failure]);
  expect(written).toBe(1);
});
