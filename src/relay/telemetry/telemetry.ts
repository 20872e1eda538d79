import type { CallRecord } from "#core/call.ts";
import type { CallContent } from "#core/content-log.ts";
import type { MetricState, TelemetryExporter } from "#core/telemetry.ts";
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
import { describeContent } from "./describe-content.ts";
import {
  attemptSpanId,
  describeTrace,
  type TextAttributes,
  type TraceNames,
} from "./describe-trace.ts";
import { GenAiMetrics } from "./gen-ai-metrics.ts";
import { NotedCalls, type NotedCall } from "./noted-calls.ts";
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
/** Maximum number of traces that wait for the content of their calls. */
const MAX_HELD = 1_000;

interface EndedCall {
  readonly call: CallRecord;
  readonly chunks: Histogram | undefined;
  readonly noted: NotedCall | undefined;
  /** Its trace waits for its content. */
  readonly isHeld: boolean;
}

/** Work that ended. */
type Item =
  | EndedCall
  | { readonly creation: CallRecord }
  | { readonly poll: PolledTask }
  | { readonly attempt: DeliveryAttempt };

/** The content log. */
interface ContentSource {
  /** Whether `endContent` follows for a call that ends now. */
  isLogged(callId: string): boolean;
  /** Maximum size of each attribute. */
  readonly maxChars: number;
}

/** Describes finished calls, and the work on tasks, for a collector: traces in batches, and metrics. */
export class Telemetry implements CallObserver, AsyncDisposable {
  readonly #deps: TelemetryDeps;
  readonly #names: TraceNames;
  readonly #metrics: GenAiMetrics;
  readonly #taskMetrics = new TaskMetrics();
  readonly #chunks: ChunkTimes;
  readonly #queue: BatchQueue<Item>;
  readonly #noted = new NotedCalls();
  readonly #held = new Map<string, EndedCall>();
  #content: ContentSource | undefined;
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

  /** Adds the content of calls to their traces: `endContent` is called for each that is logged. */
  takeContentOf(source: ContentSource): void {
    this.#content = source;
  }

  observe(call: CallRecord): void {
    const noted = this.#noted.take(call.id);
    const isHeld = noted !== undefined && this.#content?.isLogged(call.id) === true;
    const ended = { call, chunks: this.#chunks.take(call.id), noted, isHeld };
    if (isHeld) this.#hold(ended);
    this.#queue.add(ended);
  }

  /** `content`: redacted; undefined if the call leaves none. */
  async endContent(callId: string, content: CallContent | undefined): Promise<void> {
    const held = this.#held.get(callId);
    if (held?.noted === undefined || this.#content === undefined) return;
    this.#held.delete(callId);
    try {
      const described =
        content && (await describeContent(held.noted, content, this.#content.maxChars));
      this.#trace(held, described && { content: described });
    } catch (cause) {
      this.#deps.onError(cause);
    }
  }

  /** If too many wait, the earliest is exported without its content. */
  #hold(ended: EndedCall): void {
    this.#held.set(ended.call.id, ended);
    const [earliest] = this.#held.size > MAX_HELD ? this.#held.values() : [];
    if (earliest !== undefined) this.#letGo(earliest);
  }

  #letGo(held: EndedCall): void {
    this.#held.delete(held.call.id);
    this.#trace(held);
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

  /** Keeps the parts of a request for its trace until its call ends, if the trace is recorded. */
  noteRequest(call: Call): void {
    if (this.#isRecorded(call)) this.#noted.add(call);
  }

  /** Takes a complete answer, in the client's format. */
  noteAnswer(callId: string, body: Uint8Array | string): void {
    this.#noted.find(callId)?.beginAnswer().setWhole(body);
  }

  #isRecorded({ id, traceparent }: Pick<Call, "id" | "traceparent">): boolean {
    const parent = parseTraceparent(traceparent);
    const traceId = parent?.traceId ?? traceIdOf(id);
    return parent?.isSampled ?? this.#exporter?.isSampled(traceId) ?? false;
  }

  /** Call the result for each piece of the call's answer. */
  watchPieces(callId: string): (piece: Uint8Array | string) => void {
    const tick = this.#chunks.start(callId);
    const parts = this.#noted.find(callId)?.beginAnswer();
    if (parts === undefined) return tick;
    return (piece) => {
      tick();
      parts.add(piece);
    };
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
    for (const held of this.#held.values()) this.#letGo(held);
  }

  async #take(item: Item): Promise<void> {
    if ("call" in item) return this.#takeCall(item);
    if ("creation" in item) {
      return this.#exporter?.trace(describeTrace(item.creation, this.#names));
    }
    if ("poll" in item) {
      this.#taskMetrics.countPoll(item.poll);
      return this.#exporter?.trace(describePoll(item.poll));
    }
    await this.#takeDelivery(item.attempt);
  }

  #takeCall(ended: EndedCall): void {
    this.#metrics.count(ended.call, ended.chunks);
    if (!ended.isHeld) this.#trace(ended);
  }

  #trace({ call, noted }: EndedCall, more?: TextAttributes): void {
    const text = noted && { request: noted.request, end: noted.describeEnd(), ...more };
    const trace = call.isTask
      ? describeTask(call, this.#names.modelOf(call))
      : describeTrace(call, this.#names, text);
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
