import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace as traces,
  TraceFlags,
  ValueType,
  type Context,
  type Link,
  type Span as OpenSpan,
  type SpanContext,
  type Tracer,
} from "@opentelemetry/api";
import { SeverityNumber, type Logger } from "@opentelemetry/api-logs";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-proto";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes, type Resource } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  PeriodicExportingMetricReader,
  type MetricData,
  type MetricProducer,
} from "@opentelemetry/sdk-metrics";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  SamplingDecision,
  type SamplingResult,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type {
  MetricState,
  Span,
  SpanReference,
  TelemetryExporter,
  Trace,
} from "#core/telemetry.ts";
import { isObject, parseJson, type Json } from "#lib/json.ts";
import { withinTime } from "#lib/within-time.ts";
import { SplitSpans } from "./split-spans.ts";

export interface OtlpOptions {
  /** Base URL of the collector: `/v1/traces`, `/v1/metrics` and `/v1/logs` are added. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signals: readonly Signal[];
  readonly resource: Readonly<Record<string, string>>;
  readonly version: string;
  /** The part of the traces without a client's decision that is recorded. */
  readonly sampleRatio: number;
  readonly metricIntervalMs: number;
  readMetrics(): readonly MetricState[];
  onError(signal: Signal, cause: unknown): void;
}

export type Signal = "traces" | "metrics" | "logs";

/** The version of the conventions for generative AI that attributes and metrics follow. */
const SCHEMA_URL = "https://opentelemetry.io/schemas/gen-ai/0.1.0";
const SCOPE = "sluice";
const MAX_QUEUED = 10_000;
const BATCH = 512;
const DELAY_MS = 1_000;
const EXPORT_TIMEOUT_MS = 5_000;
/** An unreachable collector must not prevent the end of the process. */
const CLOSE_MS = 5_000;

/** Sends telemetry over OTLP with the official packages. This file is imported only if it is on. */
export class OtlpExporter implements TelemetryExporter, AsyncDisposable {
  readonly #options: OtlpOptions;
  readonly #sampler: TraceIdRatioBasedSampler;
  readonly #providers: { shutdown(): Promise<void> }[] = [];
  /** Waiting batches fail at once, because each would keep the process alive. */
  #isClosed = false;
  /** The ids of the next span: the tracer asks for them when it starts one. */
  #next: SpanReference = { traceId: "", spanId: "" };
  /** The decision about the next span, if the work that caused it decides. */
  #isNextSampled: boolean | undefined;
  readonly #tracer: Tracer | undefined;
  readonly #logger: Logger | undefined;

  constructor(options: OtlpOptions) {
    this.#options = options;
    this.#sampler = new TraceIdRatioBasedSampler(options.sampleRatio);
    const { "service.name": name = SCOPE, ...more } = options.resource;
    const resource = resourceFromAttributes({
      "service.name": name,
      "service.version": options.version,
      ...more,
    });
    if (options.signals.includes("traces")) this.#tracer = this.#openTracer(resource);
    if (options.signals.includes("metrics")) this.#openMeter(resource);
    if (options.signals.includes("logs")) this.#logger = this.#openLogger(resource);
  }

  trace({ traceId, parent, cause, root, children }: Trace): void {
    const tracer = this.#tracer;
    if (tracer === undefined) return;
    const around =
      parent === undefined
        ? ROOT_CONTEXT
        : traces.setSpanContext(ROOT_CONTEXT, this.#contextOf({ traceId, ...parent }));
    const links = cause === undefined ? [] : [{ context: this.#contextOf(cause) }];
    this.#isNextSampled = cause && this.#isRecorded(cause);
    const opened = this.#start(tracer, traceId, root, around, links);
    this.#isNextSampled = undefined;
    const inside = traces.setSpan(ROOT_CONTEXT, opened);
    for (const child of children) end(this.#start(tracer, traceId, child, inside), child);
    end(opened, root);
  }

  log(line: string): void {
    if (this.#logger === undefined) return;
    const fields = parseJson(line);
    if (!isObject(fields)) return;
    const { level, time, msg, err, ...rest } = fields;
    const [severityNumber, severityText] = SEVERITIES.get(Number(level)) ?? UNSPECIFIED;
    this.#logger.emit({
      timestamp: typeof time === "string" ? new Date(time) : new Date(),
      severityNumber,
      severityText,
      body: typeof msg === "string" ? msg : "",
      attributes: { ...scalarsOf(rest), ...describeError(err) },
    });
  }

  isSampled(traceId: string): boolean {
    const { decision } = this.#sampler.shouldSample(ROOT_CONTEXT, traceId);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  }

  /** Sends the rest, for a limited time. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = Promise.allSettled(this.#providers.map((each) => each.shutdown()));
    await withinTime(ended, CLOSE_MS);
    this.#isClosed = true;
  }

  #isRecorded({ traceId, isSampled }: SpanReference): boolean {
    return isSampled ?? this.isSampled(traceId);
  }

  #contextOf(span: SpanReference): SpanContext {
    const { traceId, spanId } = span;
    const traceFlags = this.#isRecorded(span) ? TraceFlags.SAMPLED : TraceFlags.NONE;
    return { traceId, spanId, traceFlags, isRemote: true };
  }

  #start(
    tracer: Tracer,
    traceId: string,
    span: Span,
    around: Context,
    links: Link[] = [],
  ): OpenSpan {
    this.#next = { traceId, spanId: span.spanId };
    const { name, startMs: startTime, attributes } = span;
    return tracer.startSpan(name, { kind: KINDS[span.kind], startTime, attributes, links }, around);
  }

  /** By the ratio, or as the work that caused it. */
  #shouldSample(traceId: string): SamplingResult {
    const isSampled = this.#isNextSampled ?? this.isSampled(traceId);
    const decision = isSampled ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD;
    return { decision };
  }

  #openTracer(resource: Resource): Tracer {
    const queue = (sizes: typeof QUEUE): SpanProcessor => {
      const exporter = new OTLPTraceExporter(this.#destination("traces"));
      const reported = reporting(exporter, this.#outcomes("traces"));
      return new BatchSpanProcessor({ exporter: reported, ...sizes });
    };
    const provider = new TracerProvider({
      resource,
      sampler: new ParentBasedSampler({
        root: { shouldSample: (_context, traceId) => this.#shouldSample(traceId) },
      }),
      idGenerator: {
        generateTraceId: () => this.#next.traceId,
        generateSpanId: () => this.#next.spanId,
      },
      spanProcessors: [new SplitSpans(queue(QUEUE), queue(CONTENT_QUEUE))],
    });
    this.#providers.push(provider);
    return provider.getTracer(SCOPE, this.#options.version, { schemaUrl: SCHEMA_URL });
  }

  #openMeter(resource: Resource): void {
    const exporter = reporting(
      new OTLPMetricExporter(this.#destination("metrics")),
      this.#outcomes("metrics"),
    );
    const reader = new PeriodicExportingMetricReader({
      exporter,
      exportIntervalMillis: this.#options.metricIntervalMs,
      exportTimeoutMillis: Math.min(EXPORT_TIMEOUT_MS, this.#options.metricIntervalMs),
      metricProducers: [this.#producer(resource)],
    });
    this.#providers.push(new MeterProvider({ resource, readers: [reader] }));
  }

  #openLogger(resource: Resource): Logger {
    const exporter = reporting(
      new OTLPLogExporter(this.#destination("logs")),
      this.#outcomes("logs"),
    );
    const processors = [new BatchLogRecordProcessor({ exporter, ...QUEUE })];
    const provider = new LoggerProvider({ resource, processors });
    this.#providers.push(provider);
    return provider.getLogger(SCOPE, this.#options.version);
  }

  #outcomes(signal: Signal): Outcomes {
    return {
      isClosed: () => this.#isClosed,
      onError: (cause) => this.#options.onError(signal, cause),
    };
  }

  #destination(signal: Signal) {
    const { endpoint, headers } = this.#options;
    const url = `${endpoint.replace(/\/$/, "")}/v1/${signal}`;
    return { url, headers: { ...headers }, timeoutMillis: EXPORT_TIMEOUT_MS };
  }

  /** Reads the gateway's own counters, so that a call pays for no second set of them. */
  #producer(resource: Resource): MetricProducer {
    const startMs = Date.now();
    const { version, readMetrics } = this.#options;
    const scope = { name: SCOPE, version, schemaUrl: SCHEMA_URL };
    return {
      async collect() {
        const times = { startTime: hrTime(startMs), endTime: hrTime(Date.now()) };
        const metrics = readMetrics().map((each) => toMetricData(each, times));
        return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
      },
    };
  }
}

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const;

const QUEUE = {
  maxQueueSize: MAX_QUEUED,
  maxExportBatchSize: BATCH,
  scheduledDelayMillis: DELAY_MS,
  exportTimeoutMillis: EXPORT_TIMEOUT_MS,
};

/** Collectors refuse requests of some megabytes, and spans with content are large. */
const CONTENT_QUEUE = { ...QUEUE, maxQueueSize: 256, maxExportBatchSize: 16 };

function end(open: OpenSpan, { endMs, isError }: Span): void {
  if (isError) open.setStatus({ code: SpanStatusCode.ERROR });
  open.end(endMs);
}

interface Exporting<T> {
  export(items: T, onResult: (result: { code: number; error?: Error }) => void): void;
}

/** The SDK does not report a failed export. */
function reporting<T, E extends Exporting<T>>(exporter: E, { isClosed, onError }: Outcomes): E {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, onResult) => {
    if (isClosed()) return onResult({ code: FAILED });
    return send(items, (result) => {
      if (result.code === FAILED) onError(result.error);
      onResult(result);
    });
  };
  return exporter;
}

interface Outcomes {
  isClosed(): boolean;
  onError(cause: unknown): void;
}

const FAILED = 1;

type HrTime = [number, number];

function hrTime(ms: number): HrTime {
  return [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000];
}

function toMetricData(
  { name, unit, description, points }: MetricState,
  times: { readonly startTime: HrTime; readonly endTime: HrTime },
): MetricData {
  const isHistogram = points.some(({ value }) => typeof value !== "number");
  const common = {
    descriptor: { name, unit, description, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (!isHistogram) {
    return {
      ...common,
      dataPointType: DataPointType.SUM,
      isMonotonic: true,
      dataPoints: points.flatMap(({ attributes, value }) =>
        typeof value === "number" ? [{ ...times, attributes, value }] : [],
      ),
    };
  }
  return {
    ...common,
    dataPointType: DataPointType.HISTOGRAM,
    dataPoints: points.flatMap(({ attributes, value }) => {
      if (typeof value === "number") return [];
      const { bounds, counts, sum, count } = value;
      const buckets = { boundaries: [...bounds], counts: [...counts] };
      return [{ ...times, attributes, value: { buckets, sum, count } }];
    }),
  };
}

/** By pino's levels. */
const SEVERITIES: ReadonlyMap<number, readonly [SeverityNumber, string]> = new Map([
  [10, [SeverityNumber.TRACE, "TRACE"]],
  [20, [SeverityNumber.DEBUG, "DEBUG"]],
  [30, [SeverityNumber.INFO, "INFO"]],
  [40, [SeverityNumber.WARN, "WARN"]],
  [50, [SeverityNumber.ERROR, "ERROR"]],
  [60, [SeverityNumber.FATAL, "FATAL"]],
]);
const UNSPECIFIED = [SeverityNumber.UNSPECIFIED, ""] as const;

function scalarsOf(fields: object): Record<string, string | number | boolean> {
  const scalars: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      scalars[name] = value;
    }
  }
  return scalars;
}

/** An error as the log describes it: never with data of clients or vendors. */
function describeError(err: Json | undefined): Record<string, string> {
  if (!isObject(err)) return {};
  const { type, message, stack } = err;
  return {
    ...(typeof type === "string" ? { "exception.type": type } : {}),
    ...(typeof message === "string" ? { "exception.message": message } : {}),
    ...(Array.isArray(stack) ? { "exception.stacktrace": stack.join("\n") } : {}),
  };
}
