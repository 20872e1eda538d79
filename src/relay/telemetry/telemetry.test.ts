import { describe, expect, test } from "bun:test";
import type { MetricState, Trace } from "#core/telemetry.ts";
import { parseTraceparent } from "#lib/trace-context.ts";
import { aRecord } from "#test/a-record.ts";
import { attemptSpanId } from "./describe-trace.ts";
import { Telemetry } from "./telemetry.ts";

const CLIENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

function stage() {
  const traces: Trace[] = [];
  const looked: string[] = [];
  let now = 0;
  const telemetry = new Telemetry({
    providerOf: () => "openai",
    addressOf: () => "https://vendor.example/v1",
    traceparentOfTask: async (id) => {
      looked.push(id);
      return CLIENT;
    },
    now: () => now,
    onError: (cause) => {
      throw cause;
    },
    onDropped: () => {},
  });
  const exportAll = (isSampled: boolean): void =>
    telemetry.exportTo({
      trace: (trace: Trace) => traces.push(trace),
      isSampled: () => isSampled,
    } as never);
  const namesOf = (metrics: readonly MetricState[]) => metrics.map(({ name }) => name);
  return {
    telemetry,
    traces,
    looked,
    exportAll,
    names: () => namesOf(telemetry.readMetrics()),
    pass: (ms: number) => void (now += ms),
    done: () => telemetry[Symbol.asyncDispose](),
  };
}

const POLL = { task: { id: "task", entry: "video", facts: {} }, at: 1, durationMs: 5 } as never;
const DELIVERY = { id: "msg", taskId: "task", attempts: 0 };

describe("the trace of finished work is exported", () => {
  test("for a call, a creation, a task, a poll and a delivery, in their order", async () => {
    const { telemetry, traces, exportAll, done } = stage();
    exportAll(true);

    telemetry.observe(aRecord({}));
    telemetry.observeCreation(aRecord({ style: "sora" }));
    telemetry.observe(aRecord({ style: "sora", isTask: true }));
    telemetry.observePoll(POLL);
    telemetry.observeDelivery({ delivery: DELIVERY, at: 1, durationMs: 5, state: "done" } as never);
    await done();

    expect(traces.map(({ root }) => root.name)).toEqual([
      "call chat",
      "call sora",
      "task sora",
      "poll video",
      "deliver webhook",
    ]);
  });

  test("with the creation of a task as the cause of its webhook, and none for an alert", async () => {
    const { telemetry, traces, looked, exportAll, done } = stage();
    exportAll(true);
    for (const delivery of [DELIVERY, { ...DELIVERY, destinationId: 7 }]) {
      telemetry.observeDelivery({ delivery, at: 1, durationMs: 5, state: "done" } as never);
    }
    await done();

    expect(looked).toEqual(["task"]);
    expect(traces.map(({ cause }) => cause?.traceId)).toEqual([
      parseTraceparent(CLIENT)?.traceId,
      undefined,
    ]);
  });
});

test("work is counted without an exporter, and a task when it ends", async () => {
  const { telemetry, names, done } = stage();
  telemetry.observeCreation(aRecord({}));
  await done();
  expect(names()).toEqual([]);

  telemetry.observe(aRecord({}));
  telemetry.observePoll(POLL);
  telemetry.observeDelivery({ delivery: DELIVERY, at: 1, durationMs: 5, state: "done" } as never);
  await done();

  expect(names()).toContain("gen_ai.client.inference.duration");
  expect(names()).toContain("sluice.task.poll.duration");
  expect(names()).toContain("sluice.webhook.delivery.duration");
});

test("the chunks of a stream are timed until its call ends", async () => {
  const { telemetry, names, pass, done } = stage();
  const note = telemetry.timeChunks("call");
  note();
  pass(500);
  note();
  telemetry.observe(aRecord({ id: "call", isStream: true }));
  await done();

  expect(names()).toContain("gen_ai.client.inference.time_per_output_chunk");
});

describe("an upstream gets a trace header", () => {
  test("that continues the client's trace as the client decided", () => {
    const { telemetry } = stage();

    expect(parseTraceparent(telemetry.traceparentOf("call", CLIENT, 1))).toEqual({
      traceId: "0af7651916cd43dd8448eb211c80319c",
      spanId: attemptSpanId("call", 1),
      isSampled: true,
    });
    const unsampled = CLIENT.replace(/01$/, "00");
    expect(parseTraceparent(telemetry.traceparentOf("call", unsampled, 1))?.isSampled).toBe(false);
  });

  test("of a new trace, which the exporter may sample", () => {
    const { telemetry, exportAll } = stage();
    const isSampled = () =>
      parseTraceparent(telemetry.traceparentOf("call", undefined, 0))?.isSampled;
    expect(isSampled()).toBe(false);
    exportAll(true);
    expect(isSampled()).toBe(true);
    exportAll(false);
    expect(isSampled()).toBe(false);
  });
});
