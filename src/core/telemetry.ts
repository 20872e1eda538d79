/** Values of attributes, as OpenTelemetry knows them. */
export type Attributes = Readonly<Record<string, string | number | boolean | string[]>>;

/**
 * A part of a trace that has ended. It contains text of a request or an answer only if the content
 * log is on for the call, and content for telemetry.
 */
export interface Span {
  readonly name: string;
  readonly kind: "server" | "client" | "internal";
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Unix ms. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly isError: boolean;
}

/** A span of another part of the gateway, or of another program. */
export interface SpanReference {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
  /** Whether its trace is recorded; undefined if the ratio decides. */
  readonly isSampled?: boolean;
}

/** One piece of work, and below it its parts: a call with its attempts. */
export interface Trace {
  readonly traceId: string;
  /** In the same trace: the span of a client that sent its own along, or of an earlier part. */
  readonly parent?: Pick<SpanReference, "spanId" | "isSampled">;
  /** The work that caused this, in another trace. This one is recorded if that one is. */
  readonly cause?: SpanReference;
  readonly root: Span;
  readonly children: readonly Span[];
}

/** The state of one metric when it is read. */
export interface MetricState {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly points: readonly MetricPoint[];
}

interface MetricPoint {
  readonly attributes: Attributes;
  readonly value: number | HistogramState;
}

interface HistogramState {
  readonly bounds: readonly number[];
  /** By bound, not cumulative; one more than bounds. */
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}

/** Sends traces, metrics and log lines to a collector. */
export interface TelemetryExporter {
  trace(trace: Trace): void;
  /** A line of the gateway's own log: one JSON object. */
  log(line: string): void;
  /** Whether a trace that begins here is recorded. */
  isSampled(traceId: string): boolean;
}
