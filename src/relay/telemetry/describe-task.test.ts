import { describe, expect, test } from "bun:test";
import { traceIdOf } from "#lib/trace-context.ts";
import { aRecord } from "#test/a-record.ts";
import {
  creationOf,
  deliveryError,
  describeDelivery,
  describePoll,
  describeTask,
} from "./describe-task.ts";
import { callSpanId } from "./describe-trace.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SAMPLED = `00-${TRACE}-b7ad6b7169203331-01`;

describe("a task is traced", () => {
  test("in the trace of the call that created it, from its creation to its end", () => {
    const record = aRecord({ id: "task", at: 100, durationMs: 50, style: "sora", isTask: true });

    const { traceId, parent, root, children } = describeTask(record, "m");

    expect([traceId, children]).toEqual([traceIdOf("task"), []]);
    expect(parent).toEqual({ spanId: callSpanId("task") } as never);
    expect(root).toMatchObject({
      name: "task sora",
      kind: "internal",
      startMs: 100,
      endMs: 150,
      isError: false,
      attributes: { "gen_ai.provider.name": "openai", "sluice.model": "m" },
    });
    expect(root.spanId).not.toBe(callSpanId("task"));
  });

  test("as failed if it failed, and without a provider if it had none", () => {
    const { root } = describeTask(aRecord({ outcome: "failed", provider: null }), undefined);

    expect(root.isError).toBe(true);
    expect(root.attributes).not.toHaveProperty(["gen_ai.provider.name"]);
  });

  test("in the client's trace, if it sent one", () => {
    expect(creationOf("task", SAMPLED)).toEqual({
      traceId: TRACE,
      spanId: callSpanId("task"),
      isSampled: true,
    });
    expect(creationOf("task", SAMPLED.replace(/01$/, "00")).isSampled).toBe(false);
    expect(creationOf("task", undefined)).not.toHaveProperty("isSampled");
  });
});

describe("a poll is a trace of its own", () => {
  const task = {
    id: "task",
    entry: "video",
    facts: {},
    place: { channel: "one", provider: "openai" },
  };
  const poll = (more: object) => describePoll({ task, at: 100, durationMs: 7, ...more } as never);

  test("that follows from the creation of its task", () => {
    const { traceId, cause, root } = poll({ found: "running" });

    expect(traceId).toBe(traceIdOf("task poll 100"));
    expect(cause).toEqual(creationOf("task", undefined));
    expect(root).toMatchObject({ name: "poll video", kind: "client", startMs: 100, endMs: 107 });
    expect([root.isError, root.attributes]).toEqual([
      false,
      {
        "sluice.request_id": "task",
        "gen_ai.provider.name": "openai",
        "sluice.channel": "one",
        "sluice.task.found": "running",
      },
    ]);
  });

  test("with its fault, and without a channel if the task has none", () => {
    const { root } = poll({ fault: "upstream_failed", task: { ...task, place: undefined } });

    expect([root.isError, root.attributes]).toEqual([
      true,
      { "sluice.request_id": "task", "error.type": "upstream_failed" },
    ]);
  });
});

describe("an attempt to deliver a webhook is a trace of its own", () => {
  const delivery = { id: "msg", taskId: "task", attempts: 2 };
  const deliver = (more: object, cause = creationOf("task", undefined)) =>
    describeDelivery({ delivery, at: 100, durationMs: 7, state: "done", ...more } as never, cause);

  test("that follows from the creation of its task", () => {
    const { traceId, cause, root } = deliver({});

    expect(traceId).toBe(traceIdOf("msg delivery 3"));
    expect(cause).toEqual(creationOf("task", undefined));
    expect(root).toMatchObject({
      name: "deliver webhook",
      kind: "client",
      startMs: 100,
      endMs: 107,
    });
    expect([root.isError, root.attributes]).toEqual([
      false,
      {
        "sluice.webhook.id": "msg",
        "sluice.webhook.attempt": 3,
        "sluice.webhook.state": "done",
        "sluice.request_id": "task",
      },
    ]);
  });

  test("with the status of its failure", () => {
    const refused = deliver({ failure: { status: 500 } }).root;
    const unreachable = deliver({ failure: {} }).root;

    expect([refused.isError, unreachable.isError]).toEqual([true, true]);
    expect(refused.attributes).toMatchObject({
      "http.response.status_code": 500,
      "error.type": "500",
    });
    expect(unreachable.attributes["error.type"]).toBe("unreachable");
    expect(unreachable.attributes).not.toHaveProperty(["http.response.status_code"]);
    expect(deliveryError(404)).toBe("404");
  });

  test("that names its alert if it tells one", () => {
    const ofAlert = { ...delivery, destinationId: 7 };
    const trace = describeDelivery(
      { delivery: ofAlert, at: 100, durationMs: 7, state: "done" } as never,
      undefined,
    );

    expect(trace.root.attributes).toMatchObject({ "sluice.alert_id": "task" });
    expect(trace.root.attributes).not.toHaveProperty(["sluice.request_id"]);
    expect(trace).not.toHaveProperty("cause");
  });
});
