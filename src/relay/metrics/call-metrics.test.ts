import { expect, test } from "bun:test";
import type { CallRecord } from "#core/call.ts";
import { nanoUsd } from "#core/money.ts";
import { NO_USAGE } from "#core/usage.ts";
import { PrometheusText } from "#lib/prometheus-text.ts";
import { CallMetrics } from "./call-metrics.ts";

const SERVED: CallRecord = {
  id: "call-1",
  at: 1_000,
  userId: 2,
  keyId: 3,
  model: "m",
  upstreamModel: "m",
  channel: "one",
  provider: "openai",
  style: "chat",
  endpoint: "text",
  isStream: true,
  outcome: "completed",
  fault: null,
  usage: {
    ...NO_USAGE,
    inputTokens: 10,
    cachedInputTokens: 4,
    outputTokens: 5,
    reasoningTokens: 2,
  },
  cost: nanoUsd(1_500_000),
  firstByteMs: 20,
  durationMs: 3,
  upstreamMs: 19,
  overheadMs: 0.25,
  attempts: [
    { channel: "two", credential: "", fault: "upstream_failed", status: 500, durationMs: 1 },
    { channel: "one", credential: "", fault: null, status: 200, durationMs: 40 },
  ],
  lost: [],
};

const REFUSED: CallRecord = {
  ...SERVED,
  channel: null,
  provider: null,
  upstreamModel: null,
  outcome: "failed",
  fault: "rate_limited",
  usage: NO_USAGE,
  cost: nanoUsd(0),
  firstByteMs: null,
  overheadMs: null,
  attempts: [],
};

function linesAfter(...records: readonly CallRecord[]): string[] {
  const metrics = new CallMetrics();
  for (const record of records) metrics.observe(record);
  const text = new PrometheusText();
  metrics.write(text);
  return text
    .toString()
    .split("\n")
    .filter((line) => !line.startsWith("#"));
}

const ONE = 'channel="one",model="m",style="chat",endpoint="text"';

test("a served call counts its outcome, cost, tokens and attempts", () => {
  const lines = linesAfter(SERVED, SERVED);

  for (const expected of [
    `sluice_calls_total{${ONE},outcome="completed"} 2`,
    `sluice_cost_usd_total{${ONE},outcome="completed"} 0.003`,
    `sluice_tokens_total{${ONE},direction="input"} 20`,
    `sluice_tokens_total{${ONE},direction="cached_input"} 8`,
    `sluice_tokens_total{${ONE},direction="output"} 10`,
    `sluice_tokens_total{${ONE},direction="reasoning"} 4`,
    'sluice_attempts_total{channel="two",fault="upstream_failed"} 2',
    'sluice_attempts_total{channel="one",fault=""} 2',
  ]) {
    expect(lines).toContain(expected);
  }
  expect(lines.filter((line) => line.startsWith("sluice_refused_total"))).toEqual([]);
});

test("durations, first bytes and the gateway's overhead are counted by bucket", () => {
  const lines = linesAfter(SERVED);

  for (const expected of [
    `sluice_call_seconds_bucket{${ONE},le="0.002"} 0`,
    `sluice_call_seconds_bucket{${ONE},le="0.005"} 1`,
    `sluice_call_seconds_bucket{${ONE},le="+Inf"} 1`,
    `sluice_call_seconds_sum{${ONE}} 0.003`,
    `sluice_call_seconds_count{${ONE}} 1`,
    `sluice_first_byte_seconds_bucket{${ONE},le="0.01"} 0`,
    `sluice_first_byte_seconds_bucket{${ONE},le="0.025"} 1`,
    'sluice_overhead_seconds_bucket{style="chat",endpoint="text",le="0.0002"} 0',
    'sluice_overhead_seconds_bucket{style="chat",endpoint="text",le="0.0003"} 1',
  ]) {
    expect(lines).toContain(expected);
  }
});

test("refused calls are counted by status and reason", () => {
  const lines = linesAfter(REFUSED, REFUSED, { ...REFUSED, fault: "out_of_quota" });

  expect(lines).toContain('sluice_refused_total{status="429",reason="rate_limited"} 2');
  expect(lines).toContain('sluice_refused_total{status="402",reason="out_of_quota"} 1');
});

test("a call that failed at its upstreams is not counted as refused", () => {
  const failed: CallRecord = {
    ...SERVED,
    channel: null,
    outcome: "failed",
    fault: "upstream_failed",
    firstByteMs: null,
  };

  const lines = linesAfter(failed);

  expect(lines.filter((line) => line.startsWith("sluice_refused_total"))).toEqual([]);
  expect(lines).toContain(
    'sluice_calls_total{channel="",model="m",style="chat",endpoint="text",outcome="failed"} 1',
  );
});

test("all unknown model names are one label, and known ones keep theirs", () => {
  const lines = linesAfter(
    ...Array.from({ length: 50 }, (_, i): CallRecord => ({
      ...REFUSED,
      fault: "model_not_found",
      model: `guess ${i}`,
    })),
    SERVED,
    REFUSED,
  );

  const models = lines
    .filter((line) => line.startsWith("sluice_calls_total"))
    .map((line) => /model="([^"]*)"/.exec(line)?.[1]);
  expect(models).toEqual(["unknown", "m", "m"]);
});

test("models above the limit of series are one label", () => {
  const lines = linesAfter(
    ...Array.from({ length: 1_100 }, (_, i): CallRecord => ({ ...SERVED, model: `model-${i}` })),
  );

  const calls = lines.filter((line) => line.startsWith("sluice_calls_total"));
  expect(calls).toHaveLength(1_001);
  expect(calls).toContain(
    'sluice_calls_total{channel="one",model="other",style="chat",endpoint="text",outcome="completed"} 100',
  );
});

test("tokens written to a cache are counted", () => {
  const usage = { ...NO_USAGE, inputTokens: 9, cacheWriteTokens: 6 };

  expect(linesAfter({ ...SERVED, usage })).toContain(
    `sluice_tokens_total{${ONE},direction="cache_write"} 6`,
  );
});

test("a call without a first byte or an overhead has no such time", () => {
  const { overheadMs: _, ...unknown } = SERVED;
  const lines = linesAfter(REFUSED, { ...unknown, firstByteMs: null });

  expect(lines.filter((line) => /^sluice_(?:first_byte|overhead)_seconds/.test(line))).toEqual([]);
});

test("only outcomes that occurred have a number of calls and a cost", () => {
  const lines = linesAfter(SERVED, { ...SERVED, outcome: "canceled", cost: nanoUsd(0) });
  const labelled = (name: string) =>
    lines.filter((line) => line.startsWith(name)).map((line) => /outcome="(\w+)"/.exec(line)?.[1]);

  expect(labelled("sluice_calls_total")).toEqual(["completed", "canceled"]);
  expect(labelled("sluice_cost_usd_total")).toEqual(["completed", "canceled"]);
});
