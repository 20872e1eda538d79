/** Values of attributes, as OpenTelemetry knows them. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A part of a trace that has ended. It never contains text of a request or an answer. */
export interface Span {
  readonly name: string;
  readonly kind: "server" | "client";
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Unix ms. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly isError: boolean;
}

/** One call: the span of the call, and below it one for each attempt. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The span of the client that sent its trace along, and whether it is recorded. */
  readonly parent?: { readonly spanId: string; readonly isSampled: boolean };
  readonly call: Span;
  readonly attempts: readonly Span[];
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
