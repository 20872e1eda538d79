import { describe, expect, test } from "bun:test";
import type { MetricState, Trace } from "#core/telemetry.ts";
import { chat } from "#styles/text/chat/index.ts";
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
  const note = telemetry.watchPieces("call");
  note("data: {}\n\n");
  pass(500);
  note("data: {}\n\n");
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

const CONTENT = {
  request: { text: `{"model":"m","messages":[{"role":"user","content":"[email]"}]}`, sizeBytes: 9 },
  answer: null,
} as never;

/** A call that is noted and ended, whose content log is open. */
function stageContent(isLogged: (id: string) => boolean = () => true) {
  const staged = stage();
  const { telemetry, traces, exportAll } = staged;
  exportAll(true);
  telemetry.takeContentOf({ isLogged, maxChars: 1_000 });
  const run = (id: string): void => {
    const facts = { stream: false, choices: 1 };
    const body = { text: "", json: { model: "m", messages: [] } };
    telemetry.noteRequest({ id, style: chat, facts, body } as never);
    telemetry.noteAnswer(id, `{"id":"answer-${id}","choices":[{"finish_reason":"stop"}]}`);
    telemetry.observe(aRecord({ id }));
  };
  const attributes = () => traces.map(({ children }) => children[0]?.attributes);
  return { ...staged, run, attributes };
}

describe("a trace with content", () => {
  test("is exported when the content is redacted, with the end of the answer", async () => {
    const { telemetry, run, attributes, done } = stageContent();

    run("a");
    await telemetry.endContent("a", CONTENT);
    await done();

    expect(attributes()).toMatchObject([
      {
        "gen_ai.response.id": "answer-a",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.input.messages": `[{"role":"user","parts":[{"type":"text","content":"[email]"}]}]`,
      },
    ]);
  });

  test("goes without it if the call leaves none, or is not logged", async () => {
    const { telemetry, run, attributes, done } = stageContent((id) => id === "a");

    run("a");
    run("b");
    await telemetry.endContent("b", CONTENT);
    await telemetry.endContent("a", undefined);
    await done();

    expect(attributes()).toHaveLength(2);
    for (const each of attributes()) {
      expect(each).toMatchObject({ "gen_ai.response.finish_reasons": ["stop"] });
      expect(each).not.toHaveProperty(["gen_ai.input.messages"]);
    }
  });

  test("does not wait if too many do, nor longer than the gateway runs", async () => {
    const { run, traces, done } = stageContent();

    for (let count = 0; count < 1_002; count++) run(`call-${count}`);
    expect(traces).toHaveLength(2);
    await done();

    expect(traces).toHaveLength(1_002);
  });
});

test("a call without a recorded trace is neither noted nor held", async () => {
  const { telemetry, run, traces, exportAll, done } = stageContent();
  exportAll(false);

  run("a");
  await telemetry.endContent("a", CONTENT);
  await done();

  expect(traces[0]?.children[0]?.attributes).not.toHaveProperty(["gen_ai.response.id"]);
});

test("a stream of a recorded call is timed, and its end is read from its pieces", async () => {
  const { telemetry, names, pass, attributes, done } = stageContent(() => false);
  const facts = { stream: true, choices: 1 };
  const body = { text: "", json: { model: "m", messages: [] } };
  telemetry.noteRequest({ id: "a", style: chat, facts, body } as never);
  const note = telemetry.watchPieces("a");
  note(`data: {"id":"first","choices":[]}\n\n`);
  pass(500);
  note(`data: {"choices":[{"finish_reason":"length"}]}\n\n`);
  telemetry.observe(aRecord({ id: "a", isStream: true }));
  await done();

  expect(names()).toContain("gen_ai.client.inference.time_per_output_chunk");
  expect(attributes()).toMatchObject([
    { "gen_ai.response.id": "first", "gen_ai.response.finish_reasons": ["length"] },
  ]);
});
