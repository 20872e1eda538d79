import { describe, expect, test } from "bun:test";
import type { AttemptRecord, CallRecord } from "#core/call.ts";
import type { FaultCode } from "#core/error.ts";
import { nanoUsd } from "#core/money.ts";
import { NO_USAGE } from "#core/usage.ts";
import { parseTraceparent, traceIdOf } from "#lib/trace-context.ts";
import { aRecord } from "#test/a-record.ts";
import { attemptSpanId, callSpanId, describeTrace } from "./describe-trace.ts";

const CLIENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

function attempt(channel: string, fault: FaultCode | null, durationMs: number): AttemptRecord {
  return { channel, credential: "", fault, status: fault === null ? 200 : 500, durationMs };
}

function traceOf(record: Partial<CallRecord>, model: string | undefined = "m") {
  return describeTrace(aRecord(record), {
    modelOf: () => model,
    providerOf: (channel) => (channel === "gone" ? undefined : "anthropic"),
    addressOf: () => undefined,
  });
}

describe("the span of a call", () => {
  test("has its times, its outcome and its facts", () => {
    const { traceId, root } = traceOf({
      id: "call",
      at: 1_000,
      durationMs: 500,
      userId: 2,
      keyId: 3,
      endpoint: "text",
      cost: nanoUsd(1_500_000_000),
      overheadMs: 0.5,
      upstreamMs: 99,
    });

    expect(traceId).toBe(traceIdOf("call"));
    expect(root).toEqual({
      name: "call chat",
      kind: "server",
      spanId: callSpanId("call"),
      startMs: 1_000,
      endMs: 1_500,
      attributes: {
        "sluice.request_id": "call",
        "sluice.user_id": 2,
        "sluice.key_id": 3,
        "sluice.style": "chat",
        "sluice.endpoint": "text",
        "sluice.model": "m",
        "sluice.channel": "one",
        "sluice.outcome": "completed",
        "sluice.cost_usd": 1.5,
        "sluice.overhead_ms": 0.5,
        "sluice.upstream_ms": 99,
        "http.response.status_code": 200,
      },
      isError: false,
    });
  });

  test("of a refused call has its fault and status, and no channel, endpoint or time", () => {
    const record = { ...aRecord({ outcome: "failed", fault: "model_not_found", channel: null }) };
    const { root, children } = describeTrace(
      { ...record, attempts: [], firstByteMs: null, overheadMs: null },
      { modelOf: () => undefined, providerOf: () => undefined, addressOf: () => undefined },
    );

    expect([root.isError, children]).toEqual([true, []]);
    expect(root.attributes).toMatchObject({
      "http.response.status_code": 404,
      "error.type": "model_not_found",
    });
    for (const name of ["model", "channel", "endpoint", "overhead_ms"]) {
      expect(root.attributes).not.toHaveProperty([`sluice.${name}`]);
    }
  });

  test("continues the client's trace", () => {
    const { traceId, parent } = traceOf({ traceparent: CLIENT });

    expect(traceId).toBe("0af7651916cd43dd8448eb211c80319c");
    expect(parent).toEqual(parseTraceparent(CLIENT) as never);
    expect(traceOf({})).not.toHaveProperty("parent");
  });
});

describe("the span of an attempt", () => {
  test("has the provider, the models and the answer of its channel", () => {
    const { children } = traceOf({
      id: "call",
      at: 1_000,
      firstByteMs: 300,
      durationMs: 500,
      upstreamModel: "sent",
      isStream: true,
      usage: {
        ...NO_USAGE,
        inputTokens: 9,
        outputTokens: 5,
        cachedInputTokens: 4,
        cacheWriteTokens: 3,
        reasoningTokens: 2,
      },
      attempts: [attempt("two", "upstream_failed", 100), attempt("one", null, 150)],
    });

    expect(children).toEqual([
      {
        name: "chat m",
        kind: "client",
        spanId: attemptSpanId("call", 0),
        startMs: 1_050,
        endMs: 1_150,
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": "anthropic",
          "gen_ai.request.model": "m",
          "gen_ai.request.stream": true,
          "http.response.status_code": 500,
          "error.type": "upstream_failed",
          "sluice.channel": "two",
        },
        isError: true,
      },
      {
        name: "chat sent",
        kind: "client",
        spanId: attemptSpanId("call", 1),
        startMs: 1_150,
        endMs: 1_500,
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": "openai",
          "gen_ai.request.model": "sent",
          "gen_ai.request.stream": true,
          "http.response.status_code": 200,
          "sluice.channel": "one",
          "gen_ai.response.model": "sent",
          "gen_ai.usage.input_tokens": 9,
          "gen_ai.usage.output_tokens": 5,
          "gen_ai.usage.cache_read.input_tokens": 4,
          "gen_ai.usage.cache_write.input_tokens": 3,
          "gen_ai.usage.reasoning.output_tokens": 2,
          "gen_ai.response.time_to_first_chunk": 0.3,
        },
        isError: false,
      },
    ]);
  });

  test("of a complete answer ends with its first byte, and has no kinds of tokens without any", () => {
    const [span] = traceOf({ at: 1_000, firstByteMs: 300, durationMs: 500 }).children;

    expect([span?.startMs, span?.endMs]).toEqual([1_200, 1_300]);
    expect(Object.keys(span?.attributes ?? {})).toEqual([
      "gen_ai.operation.name",
      "gen_ai.provider.name",
      "gen_ai.request.model",
      "http.response.status_code",
      "sluice.channel",
      "gen_ai.response.model",
      "gen_ai.usage.input_tokens",
      "gen_ai.usage.output_tokens",
    ]);
  });

  test("has the conversation, the server, kinds of tokens and the settings of the request", () => {
    const record = aRecord({
      tags: { session: "s-1" },
      upstreamModel: "asked-of-the-vendor",
      usage: {
        ...NO_USAGE,
        servedBy: "another",
        audioInputTokens: 3,
        audioOutputTokens: 4,
        imageInputTokens: 5,
        imageOutputTokens: 6,
      },
    });
    const attributesAt = (address: string) =>
      describeTrace(
        record,
        { modelOf: () => "m", providerOf: () => "openai", addressOf: () => address },
        { request: { "gen_ai.request.seed": 7 } },
      ).children[0]?.attributes;

    expect(attributesAt("https://vendor.example/v1")).toMatchObject({
      "gen_ai.conversation.id": "s-1",
      "gen_ai.request.seed": 7,
      "gen_ai.response.model": "another",
      "gen_ai.usage.audio.input_tokens": 3,
      "gen_ai.usage.audio.output_tokens": 4,
      "gen_ai.usage.image.input_tokens": 5,
      "gen_ai.usage.image.output_tokens": 6,
      "server.address": "vendor.example",
      "server.port": 443,
    });
    expect(attributesAt("http://127.0.0.1:8000")).toMatchObject({
      "server.address": "127.0.0.1",
      "server.port": 8_000,
    });
    expect(attributesAt("http://vendor.example")).toMatchObject({ "server.port": 80 });
    expect(attributesAt("no address")).not.toHaveProperty(["server.address"]);
  });

  test("of a stream without a first byte has no time of one", () => {
    const [span] = traceOf({ isStream: true, firstByteMs: null, durationMs: 80 }).children;

    expect([span?.startMs, span?.endMs]).toEqual([0, 80]);
    expect(span?.attributes).not.toHaveProperty(["gen_ai.response.time_to_first_chunk"]);
  });

  test("of a failed call ends at the failure, without an answer", () => {
    const { children } = traceOf({
      at: 1_000,
      channel: null,
      provider: null,
      upstreamModel: null,
      isStream: true,
      firstByteMs: null,
      durationMs: 90,
      attempts: [attempt("gone", "upstream_timeout", 50)],
    });

    expect(children).toHaveLength(1);
    expect(children[0]).toMatchObject({ name: "chat m", startMs: 1_040, endMs: 1_090 });
    expect(children[0]?.attributes["gen_ai.provider.name"]).toBe("unknown");
    expect(children[0]?.attributes).not.toHaveProperty(["gen_ai.usage.input_tokens"]);
  });

  test("names no model if it is not known", () => {
    const { children } = describeTrace(aRecord({}), {
      modelOf: () => undefined,
      providerOf: () => undefined,
      addressOf: () => undefined,
    });

    expect(children[0]?.name).toBe("chat");
    expect(children[0]?.attributes).not.toHaveProperty(["gen_ai.request.model"]);
  });

  test("that failed after the one that answered is not the answer", () => {
    const { children } = traceOf({
      attempts: [attempt("one", null, 10), attempt("two", "upstream_failed", 10)],
    });

    expect(children.map(({ attributes }) => "gen_ai.usage.input_tokens" in attributes)).toEqual([
      false,
      false,
    ]);
  });
});

test("only the attempt that answered has the end, and only the last one the content", () => {
  const names = { modelOf: () => "m", providerOf: () => "openai", addressOf: () => undefined };
  const text = { end: { "gen_ai.response.id": "a" }, content: { "gen_ai.input.messages": "[]" } };
  const attempts = [attempt("two", "upstream_failed", 5), attempt("one", null, 5)];
  const attributesOf = (record: Partial<CallRecord>) =>
    describeTrace(aRecord(record), names, text).children.map(({ attributes }) => [
      attributes["gen_ai.response.id"],
      attributes["gen_ai.input.messages"],
    ]);

  expect(attributesOf({ channel: "one", attempts })).toEqual([
    [undefined, undefined],
    ["a", "[]"],
  ]);
  expect(attributesOf({ channel: null, attempts })).toEqual([
    [undefined, undefined],
    [undefined, "[]"],
  ]);
});
