import { describe, expect, test } from "bun:test";
import type { CallRecord } from "#core/call.ts";
import { NO_USAGE } from "#core/usage.ts";
import { Histogram } from "#lib/histogram.ts";
import { aRecord } from "#test/a-record.ts";
import { GenAiMetrics } from "./gen-ai-metrics.ts";
import { SECONDS } from "./histogram-state.ts";

function openMetrics(model: string | undefined = "m") {
  return new GenAiMetrics({
    modelOf: (record) => (record.model === "unknown text" ? undefined : (model ?? record.model)),
    providerOf: (channel) => (channel === "gone" ? undefined : "anthropic"),
  });
}

function countAll(...records: readonly Partial<CallRecord>[]): GenAiMetrics {
  const metrics = openMetrics();
  for (const record of records) metrics.count(aRecord(record), undefined);
  return metrics;
}

function pointsOf(metrics: GenAiMetrics, name: string) {
  return metrics.read().find((each) => each.name === `gen_ai.client.${name}`)?.points ?? [];
}

function namesOf(metrics: GenAiMetrics): string[] {
  return metrics.read().map(({ name }) => name.replace("gen_ai.client.", ""));
}

const ATTRIBUTES = {
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": "openai",
  "gen_ai.request.model": "m",
};

describe("a call is counted", () => {
  test("by its operation, provider and model, and by its fault", () => {
    const failed = { fault: "upstream_failed", outcome: "failed" } as const;
    const metrics = countAll({ durationMs: 500 }, { durationMs: 1_500 }, failed);

    const points = pointsOf(metrics, "inference.duration");

    expect(points.map(({ attributes }) => attributes)).toEqual([
      ATTRIBUTES,
      { ...ATTRIBUTES, "error.type": "upstream_failed" },
    ]);
    expect(points[0]?.value).toMatchObject({ sum: 2, count: 2, bounds: SECONDS });
  });

  test("with the provider of its last attempt, if none answered", () => {
    const attempt = {
      credential: "",
      fault: "upstream_failed",
      status: 500,
      durationMs: 1,
    } as const;
    const providerAfter = (...channels: readonly string[]) =>
      pointsOf(
        countAll({
          provider: null,
          attempts: channels.map((channel) => ({ ...attempt, channel })),
        }),
        "inference.duration",
      )[0]?.attributes["gen_ai.provider.name"];

    expect(providerAfter("gone", "two")).toBe("anthropic");
    expect(providerAfter("two", "gone")).toBe("unknown");
  });

  test("not at all if no upstream was asked, or its model is text of a client", () => {
    expect(countAll({ provider: null, attempts: [] }, { model: "unknown text" }).read()).toEqual(
      [],
    );
  });
});

describe("the metrics of inference", () => {
  test("have the time to the first chunk of streams only", () => {
    const metrics = countAll(
      { isStream: false, firstByteMs: 9_000 },
      { isStream: true, firstByteMs: null },
    );
    expect(namesOf(metrics)).not.toContain("inference.time_to_first_chunk");

    metrics.count(aRecord({ isStream: true, firstByteMs: 250 }), undefined);

    expect(pointsOf(metrics, "inference.time_to_first_chunk")[0]?.value).toMatchObject({
      sum: 0.25,
      count: 1,
    });
  });

  test("have the times between chunks, if there are some", () => {
    const metrics = openMetrics();
    const gaps = new Histogram(SECONDS);
    metrics.count(aRecord({}), gaps);
    expect(namesOf(metrics)).not.toContain("inference.time_per_output_chunk");
    gaps.observe(0.5);

    metrics.count(aRecord({}), gaps);

    expect(pointsOf(metrics, "inference.time_per_output_chunk")[0]?.value).toMatchObject({
      sum: 0.5,
      count: 1,
    });
  });

  test("have the tokens by kind and modality", () => {
    const usage = {
      ...NO_USAGE,
      inputTokens: 100,
      imageInputTokens: 20,
      audioInputTokens: 10,
      outputTokens: 50,
      imageOutputTokens: 5,
      audioOutputTokens: 3,
      cachedInputTokens: 7,
      cacheWriteTokens: 6,
      reasoningTokens: 4,
    };
    const metrics = countAll({ usage }, { usage });
    const tokensOf = (name: string) =>
      pointsOf(metrics, `inference.usage.${name}`).map(({ attributes, value }) => [
        attributes["gen_ai.token.modality"],
        value,
      ]);

    expect(tokensOf("input_tokens")).toEqual([
      ["text", 140],
      ["image", 40],
      ["audio", 20],
    ]);
    expect(tokensOf("output_tokens")).toEqual([
      ["text", 84],
      ["image", 10],
      ["audio", 6],
    ]);
    expect(tokensOf("cache_read.input_tokens")).toEqual([["text", 14]]);
    expect(tokensOf("cache_write.input_tokens")).toEqual([["text", 12]]);
    expect(tokensOf("reasoning.output_tokens")).toEqual([["text", 8]]);
    expect(pointsOf(metrics, "inference.operation.input_tokens")[0]?.value).toMatchObject({
      sum: 200,
      count: 2,
    });
    expect(pointsOf(metrics, "inference.operation.output_tokens")[0]?.value).toMatchObject({
      sum: 100,
    });
  });

  test("have text at least as 0, and other modalities only if there are some", () => {
    const usage = { ...NO_USAGE, inputTokens: 1, imageInputTokens: 5, outputTokens: 0 };
    const metrics = countAll(
      { usage },
      { usage: { ...NO_USAGE, outputTokens: 1, audioOutputTokens: 9 } },
    );
    const valuesOf = (name: string) =>
      pointsOf(metrics, `inference.usage.${name}`).map(({ value }) => value);

    expect(valuesOf("input_tokens")).toEqual([0, 5]);
    expect(valuesOf("output_tokens")).toEqual([0, 9]);
    expect(valuesOf("reasoning.output_tokens")).toEqual([0]);
  });
});

test("operations without inference have their duration only", () => {
  const metrics = countAll({ style: "embeddings", durationMs: 500, isStream: true });

  expect(namesOf(metrics)).toEqual(["operation.duration"]);
  expect(pointsOf(metrics, "operation.duration")[0]?.value).toMatchObject({ sum: 0.5 });
});

test("a thousand series are kept, and further models are counted together", () => {
  const metrics = new GenAiMetrics({ modelOf: ({ model }) => model, providerOf: () => "openai" });
  for (let at = 0; at < 1_002; at++) metrics.count(aRecord({ model: `m${at}` }), undefined);
  metrics.count(aRecord({ model: "m0" }), undefined);

  const points = pointsOf(metrics, "inference.duration");

  const counts = points.map(({ attributes, value }) => [
    attributes["gen_ai.request.model"],
    (value as { count: number }).count,
  ]);
  expect(counts).toHaveLength(1_001);
  expect(counts[0]).toEqual(["m0", 2]);
  expect(counts.slice(-2)).toEqual([
    ["m999", 1],
    ["other", 2],
  ]);
});
