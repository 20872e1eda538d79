import type { CallRecord } from "#core/call.ts";
import type { Attributes, MetricState, TelemetryExporter } from "#core/telemetry.ts";
import { BatchQueue } from "#lib/batch-queue.ts";
import type { Histogram } from "#lib/histogram.ts";
import { parseTraceparent, traceIdOf, writeTraceparent } from "#lib/trace-context.ts";
import type { Call } from "../call.ts";
import type { CallObserver } from "../call-observers.ts";
import { KnownModels } from "../metrics/known-models.ts";
import type { DeliveryAttempt } from "../tasks/deliver-webhooks.ts";
import type { PolledTask } from "../tasks/task-scheduler.ts";
import { ChunkTimes } from "./chunk-times.ts";
import { creationOf, describeDelivery, describePoll, describeTask } from "./describe-task.ts";
import { describeRequest } from "./describe-request.ts";
import { attemptSpanId, describeTrace, type TraceNames } from "./describe-trace.ts";
import { GenAiMetrics } from "./gen-ai-metrics.ts";
import { TaskMetrics } from "./task-metrics.ts";

interface TelemetryDeps {
  /** The provider of a channel; undefined if the channel is gone. */
  providerOf(channel: string): string | undefined;
  /** The base URL of a channel; undefined if the channel is gone. */
  addressOf(channel: string): string | undefined;
  /** The `traceparent` of the client that created a task, if it sent one. */
  traceparentOfTask(id: string): Promise<string | undefined>;
  /** Monotonic ms. */
  now(): number;
  onError(cause: unknown): void;
  /** Traces were lost, because too many calls waited. */
  onDropped(count: number): void;
}

const DELAY_MS = 200;
/** More would delay calls. */
const BATCH = 50;
const MAX_QUEUED = 10_000;
const MAX_REQUESTS = 100_000;

/** Work that ended. */
type Item =
  | {
      readonly call: CallRecord;
      readonly chunks: Histogram | undefined;
      readonly request: Attributes | undefined;
    }
  | { readonly creation: CallRecord }
  | { readonly poll: PolledTask }
  | { readonly attempt: DeliveryAttempt };

/** Describes finished calls, and the work on tasks, for a collector: traces in batches, and metrics. */
export class Telemetry implements CallObserver, AsyncDisposable {
  readonly #deps: TelemetryDeps;
  readonly #names: TraceNames;
  readonly #metrics: GenAiMetrics;
  readonly #taskMetrics = new TaskMetrics();
  readonly #chunks: ChunkTimes;
  readonly #queue: BatchQueue<Item>;
  /** The settings of the requests of running calls. */
  readonly #requests = new Map<string, Attributes>();
  #exporter: TelemetryExporter | undefined;

  constructor(deps: TelemetryDeps) {
    const { providerOf, addressOf, now, onError, onDropped } = deps;
    const models = new KnownModels();
    this.#deps = deps;
    this.#names = { providerOf, addressOf, modelOf: (record) => models.nameOf(record) };
    this.#metrics = new GenAiMetrics(this.#names);
    this.#chunks = new ChunkTimes(now);
    this.#queue = new BatchQueue({
      take: async (items) => {
        for (const item of items) await this.#take(item);
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

  observe(call: CallRecord): void {
    const request = this.#requests.get(call.id);
    if (request !== undefined) this.#requests.delete(call.id);
    this.#queue.add({ call, chunks: this.#chunks.take(call.id), request });
  }

  /** The call that created a task: it is counted when the task ends. */
  observeCreation(creation: CallRecord): void {
    this.#queue.add({ creation });
  }

  observePoll(poll: PolledTask): void {
    this.#queue.add({ poll });
  }

  observeDelivery(attempt: DeliveryAttempt): void {
    this.#queue.add({ attempt });
  }

  /** Keeps the settings of a request until its call ends, if its trace is recorded. */
  noteRequest(call: Call): void {
    if (this.#requests.size >= MAX_REQUESTS || !this.#isRecorded(call)) return;
    try {
      this.#requests.set(call.id, describeRequest(call));
    } catch {
      // Vendors of the same style get values that the gateway cannot read.
    }
  }

  #isRecorded({ id, traceparent }: Pick<Call, "id" | "traceparent">): boolean {
    const parent = parseTraceparent(traceparent);
    const traceId = parent?.traceId ?? traceIdOf(id);
    return parent?.isSampled ?? this.#exporter?.isSampled(traceId) ?? false;
  }

  /** Call the result for each piece of the call's answer. */
  timeChunks(callId: string): () => void {
    return this.#chunks.start(callId);
  }

  readMetrics(): readonly MetricState[] {
    return [...this.#metrics.read(), ...this.#taskMetrics.read()];
  }

  /** The `traceparent` header of an attempt: the client's trace continues, or a new one begins. */
  traceparentOf(callId: string, ofClient: string | undefined, attempt: number): string {
    const traceId = parseTraceparent(ofClient)?.traceId ?? traceIdOf(callId);
    const isSampled = this.#isRecorded({ id: callId, traceparent: ofClient });
    return writeTraceparent({ traceId, spanId: attemptSpanId(callId, attempt), isSampled });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue[Symbol.asyncDispose]();
  }

  async #take(item: Item): Promise<void> {
    if ("call" in item) return this.#takeCall(item.call, item.chunks, item.request);
    if ("creation" in item) {
      return this.#exporter?.trace(describeTrace(item.creation, this.#names));
    }
    if ("poll" in item) {
      this.#taskMetrics.countPoll(item.poll);
      return this.#exporter?.trace(describePoll(item.poll));
    }
    await this.#takeDelivery(item.attempt);
  }

  #takeCall(
    call: CallRecord,
    chunks: Histogram | undefined,
    request: Attributes | undefined,
  ): void {
    this.#metrics.count(call, chunks);
    const trace = call.isTask
      ? describeTask(call, this.#names.modelOf(call))
      : describeTrace(call, this.#names, request);
    this.#exporter?.trace(trace);
  }

  async #takeDelivery(attempt: DeliveryAttempt): Promise<void> {
    const { taskId, destinationId } = attempt.delivery;
    this.#taskMetrics.countDelivery(attempt);
    const cause =
      destinationId === undefined
        ? creationOf(taskId, await this.#deps.traceparentOfTask(taskId))
        : undefined;
    this.#exporter?.trace(describeDelivery(attempt, cause));
  }
}
