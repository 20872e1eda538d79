import type { CallRecord } from "#core/call.ts";
import type { MetricState, TelemetryExporter } from "#core/telemetry.ts";
import { BatchQueue } from "#lib/batch-queue.ts";
import { parseTraceparent, traceIdOf, writeTraceparent } from "#lib/trace-context.ts";
import type { CallObserver } from "../call-observers.ts";
import { KnownModels } from "../metrics/known-models.ts";
import { attemptSpanId, describeTrace, type TraceNames } from "./describe-trace.ts";
import { GenAiMetrics } from "./gen-ai-metrics.ts";

interface TelemetryDeps {
  /** The provider of a channel; undefined if the channel is gone. */
  providerOf(channel: string): string | undefined;
  onError(cause: unknown): void;
  /** Traces were lost, because too many calls waited. */
  onDropped(count: number): void;
}

const DELAY_MS = 200;
/** More would delay calls. */
const BATCH = 50;
const MAX_QUEUED = 10_000;

/** Describes finished calls for a collector: traces in batches, and metrics. */
export class Telemetry implements CallObserver, AsyncDisposable {
  readonly #metrics: GenAiMetrics;
  readonly #queue: BatchQueue<CallRecord>;
  #exporter: TelemetryExporter | undefined;

  constructor({ providerOf, onError, onDropped }: TelemetryDeps) {
    const models = new KnownModels();
    const names: TraceNames = { providerOf, modelOf: (record) => models.nameOf(record) };
    this.#metrics = new GenAiMetrics(names);
    this.#queue = new BatchQueue({
      take: (records) => {
        for (const record of records) {
          this.#metrics.count(record);
          this.#exporter?.trace(describeTrace(record, names));
        }
      },
      onError,
      onDropped,
      delayMs: DELAY_MS,
      batchSize: BATCH,
      maxQueued: MAX_QUEUED,
    });
  }

  exportTo(exporter: TelemetryExporter): void {
    this.#exporter = exporter;
  }

  observe(record: CallRecord): void {
    this.#queue.add(record);
  }

  readMetrics(): readonly MetricState[] {
    return this.#metrics.read();
  }

  /** The `traceparent` header of an attempt: the client's trace continues, or a new one begins. */
  traceparentOf(callId: string, ofClient: string | undefined, attempt: number): string {
    const parent = parseTraceparent(ofClient);
    const traceId = parent?.traceId ?? traceIdOf(callId);
    const isSampled = parent?.isSampled ?? this.#exporter?.isSampled(traceId) ?? false;
    return writeTraceparent({ traceId, spanId: attemptSpanId(callId, attempt), isSampled });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue[Symbol.asyncDispose]();
  }
}
