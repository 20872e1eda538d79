import type { CallRecord } from "#core/call.ts";
import type { Attributes, Span, SpanReference, Trace } from "#core/telemetry.ts";
import { parseTraceparent, spanIdOf, traceIdOf } from "#lib/trace-context.ts";
import { defined } from "#lib/values.ts";
import { telemetryNameOf } from "#providers/telemetry-name.ts";
import type { DeliveryAttempt } from "../tasks/deliver-webhooks.ts";
import type { PolledTask } from "../tasks/task-scheduler.ts";
import { callSpanId, describeCall } from "./describe-trace.ts";

/** The span of the call that created a task. It follows from the task, so it need not be kept. */
export function creationOf(taskId: string, traceparent: string | undefined): SpanReference {
  const parent = parseTraceparent(traceparent);
  return {
    traceId: parent?.traceId ?? traceIdOf(taskId),
    spanId: callSpanId(taskId),
    ...(parent === undefined ? {} : { isSampled: parent.isSampled }),
  };
}

/** The time of a task from its creation to its end, in the trace of its creation. */
export function describeTask(record: CallRecord, model: string | undefined): Trace {
  const { id, at, durationMs, style, outcome, provider, traceparent } = record;
  const { traceId, ...parent } = creationOf(id, traceparent);
  return {
    traceId,
    parent,
    root: {
      name: `task ${style}`,
      kind: "internal",
      spanId: spanIdOf(id, "task"),
      startMs: at,
      endMs: at + durationMs,
      attributes: { ...describeCall(record, model), ...providerAttribute(provider) },
      isError: outcome === "failed",
    },
    children: [],
  };
}

/** Each poll is a trace of its own, because tasks can take hours. */
export function describePoll({ task, at, durationMs, found, fault }: PolledTask): Trace {
  const part = `poll ${at}`;
  return laterWork(creationOf(task.id, task.facts.traceparent), `${task.id} ${part}`, {
    name: `poll ${task.entry}`,
    kind: "client",
    spanId: spanIdOf(task.id, part),
    startMs: at,
    endMs: at + durationMs,
    attributes: {
      "sluice.request_id": task.id,
      ...providerAttribute(task.place?.provider),
      ...defined({
        "sluice.channel": task.place?.channel,
        "sluice.task.found": found,
        "error.type": fault,
      }),
    },
    isError: fault !== undefined,
  });
}

/** `cause`: the creation of the task; undefined for messages about alerts. */
export function describeDelivery(
  { delivery, at, durationMs, failure, state }: DeliveryAttempt,
  cause: SpanReference | undefined,
): Trace {
  const { id, taskId, attempts, destinationId } = delivery;
  const attempt = attempts + 1;
  const part = `delivery ${attempt}`;
  return laterWork(cause, `${id} ${part}`, {
    name: "deliver webhook",
    kind: "client",
    spanId: spanIdOf(id, part),
    startMs: at,
    endMs: at + durationMs,
    attributes: {
      "sluice.webhook.id": id,
      "sluice.webhook.attempt": attempt,
      "sluice.webhook.state": state,
      [destinationId === undefined ? "sluice.request_id" : "sluice.alert_id"]: taskId,
      ...defined({ "http.response.status_code": failure?.status }),
      ...(failure === undefined ? {} : { "error.type": deliveryError(failure.status) }),
    },
    isError: failure !== undefined,
  });
}

/** The status, as the conventions for HTTP clients have it. */
export function deliveryError(status: number | undefined): string {
  return status === undefined ? "unreachable" : String(status);
}

function laterWork(cause: SpanReference | undefined, name: string, root: Span): Trace {
  return { traceId: traceIdOf(name), root, children: [], ...defined({ cause }) };
}

function providerAttribute(provider: string | null | undefined): Attributes {
  return provider == null ? {} : { "gen_ai.provider.name": telemetryNameOf(provider) };
}
