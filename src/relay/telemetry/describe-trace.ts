import type { AttemptRecord, CallRecord } from "#core/call.ts";
import { FAULTS } from "#core/error.ts";
import type { Attributes, Span, Trace } from "#core/telemetry.ts";
import { parseTraceparent, spanIdOf, traceIdOf } from "#lib/trace-context.ts";
import { defined } from "#lib/values.ts";
import { telemetryNameOf } from "#providers/telemetry-name.ts";
import { operationOf } from "./operation.ts";

/** Names that a record lacks. */
export interface TraceNames {
  /** The provider of a channel; undefined if the channel is gone. */
  providerOf(channel: string): string | undefined;
  /** The base URL of a channel; undefined if the channel is gone. */
  addressOf(channel: string): string | undefined;
  /** Undefined for text of a client that names no model. */
  modelOf(record: CallRecord): string | undefined;
}

/** Attributes that a trace has beside the record of its call, if that was one for text. */
export interface TextAttributes {
  /** The settings of the request, for each attempt. */
  readonly request?: Attributes;
  /** The id and the end of the answer, for the attempt that gave it. */
  readonly end?: Attributes;
  /** The text of request and answer, for the last attempt. */
  readonly content?: Attributes;
}

/** Describes a finished call as a trace: the call, and below it each attempt. */
export function describeTrace(
  record: CallRecord,
  names: TraceNames,
  { request, end, content }: TextAttributes = {},
): Trace {
  const { id, at, durationMs, attempts } = record;
  const parent = parseTraceparent(record.traceparent);
  const model = names.modelOf(record);
  const times = timesOf(record);
  return {
    traceId: parent?.traceId ?? traceIdOf(id),
    ...(parent === undefined ? {} : { parent }),
    root: {
      name: `call ${record.style}`,
      kind: "server",
      spanId: callSpanId(id),
      startMs: at,
      endMs: at + durationMs,
      attributes: describeCall(record, model),
      isError: record.outcome === "failed",
    },
    children: attempts.map((attempt, index): Span => {
      const { startMs = at, endMs = at } = times[index] ?? {};
      const operation = operationOf(record.style);
      const isLast = index === attempts.length - 1;
      return {
        name: model === undefined ? operation : `${operation} ${modelOf(record, model, index)}`,
        kind: "client",
        spanId: attemptSpanId(id, index),
        startMs,
        endMs,
        attributes: {
          ...describeAttempt(record, attempt, index, names, model),
          ...describeServer(names.addressOf(attempt.channel)),
          ...request,
          ...(isLast && attempt.channel === record.channel ? end : undefined),
          ...(isLast ? content : undefined),
        },
        isError: attempt.fault !== null,
      };
    }),
  };
}

export function callSpanId(id: string): string {
  return spanIdOf(id, "call");
}

/** Also sent to the upstream, if a setting allows it. */
export function attemptSpanId(callId: string, index: number): string {
  return spanIdOf(callId, `attempt ${index}`);
}

export function describeCall(record: CallRecord, model: string | undefined): Attributes {
  const { fault, overheadMs } = record;
  return defined({
    "sluice.request_id": record.id,
    "sluice.user_id": record.userId,
    "sluice.key_id": record.keyId,
    "sluice.style": record.style,
    ...(record.endpoint === undefined ? {} : { "sluice.endpoint": record.endpoint }),
    "sluice.model": model,
    "sluice.channel": record.channel ?? undefined,
    "sluice.outcome": record.outcome,
    "sluice.cost_usd": record.cost / 1e9,
    "sluice.overhead_ms": overheadMs ?? undefined,
    "sluice.upstream_ms": record.upstreamMs,
    "http.response.status_code": fault === null ? 200 : FAULTS[fault].status,
    "error.type": fault ?? undefined,
  });
}

function describeAttempt(
  record: CallRecord,
  attempt: AttemptRecord,
  index: number,
  names: TraceNames,
  model: string | undefined,
): Attributes {
  const isAnswer = index === record.attempts.length - 1 && attempt.channel === record.channel;
  const provider = isAnswer ? record.provider : names.providerOf(attempt.channel);
  return {
    "gen_ai.operation.name": operationOf(record.style),
    "gen_ai.provider.name": telemetryNameOf(provider ?? "unknown"),
    ...defined({
      "gen_ai.request.model": model === undefined ? undefined : modelOf(record, model, index),
      "gen_ai.request.stream": record.isStream ? true : undefined,
      "gen_ai.conversation.id": record.tags?.session,
      "http.response.status_code": attempt.status ?? undefined,
      "error.type": attempt.fault ?? undefined,
      "sluice.channel": attempt.channel,
    }),
    ...(isAnswer ? describeAnswer(record) : {}),
  };
}

function describeServer(baseUrl: string | undefined): Attributes {
  const url = baseUrl === undefined ? null : URL.parse(baseUrl);
  if (url === null) return {};
  const port = url.port === "" ? DEFAULT_PORTS.get(url.protocol) : Number(url.port);
  return { "server.address": url.hostname, ...defined({ "server.port": port }) };
}

const DEFAULT_PORTS: ReadonlyMap<string, number> = new Map([
  ["http:", 80],
  ["https:", 443],
]);

function describeAnswer({ usage, isStream, firstByteMs, upstreamModel }: CallRecord): Attributes {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens } = usage;
  return defined({
    "gen_ai.response.model": usage.servedBy ?? upstreamModel ?? undefined,
    "gen_ai.usage.input_tokens": inputTokens,
    "gen_ai.usage.output_tokens": outputTokens,
    "gen_ai.usage.cache_read.input_tokens": cachedInputTokens || undefined,
    "gen_ai.usage.cache_write.input_tokens": cacheWriteTokens || undefined,
    "gen_ai.usage.reasoning.output_tokens": reasoningTokens || undefined,
    "gen_ai.usage.audio.input_tokens": usage.audioInputTokens || undefined,
    "gen_ai.usage.audio.output_tokens": usage.audioOutputTokens || undefined,
    "gen_ai.usage.image.input_tokens": usage.imageInputTokens || undefined,
    "gen_ai.usage.image.output_tokens": usage.imageOutputTokens || undefined,
    "gen_ai.response.time_to_first_chunk":
      isStream && firstByteMs !== null ? firstByteMs / 1_000 : undefined,
  });
}

/** The name that was sent upstream, which is known for the attempt that was answered. */
function modelOf(record: CallRecord, model: string, index: number): string {
  const isLast = index === record.attempts.length - 1;
  return isLast ? (record.upstreamModel ?? model) : model;
}

/**
 * Attempts follow each other without a gap up to the first byte, or up to the failure of the last
 * one. A stream belongs to its attempt until its end.
 */
function timesOf(record: CallRecord): { readonly startMs: number; readonly endMs: number }[] {
  const { at, attempts, channel, firstByteMs, durationMs, isStream } = record;
  let endMs = at + (firstByteMs ?? durationMs);
  const times = attempts.toReversed().map((attempt) => {
    const startMs = Math.max(at, endMs - attempt.durationMs);
    const time = { startMs, endMs };
    endMs = startMs;
    return time;
  });
  const [last] = times;
  if (last !== undefined && isStream && channel !== null)
    times[0] = { ...last, endMs: at + durationMs };
  return times.toReversed();
}
