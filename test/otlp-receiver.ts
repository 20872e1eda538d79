import root from "otlp-protobufs/build/src/generated/root.js";

/** A collector that decodes all it gets with the code generated from OpenTelemetry's protobufs. */
export interface OtlpReceiver extends AsyncDisposable {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly metrics: ReceivedMetric[];
  readonly logs: ReceivedLog[];
  readonly resources: Attributes[];
  readonly schemaUrls: Set<string>;
  readonly headers: Headers[];
  /** All bodies as they came, to look for text in. */
  readonly raw: string[];
}

type Attribute = string | number | boolean | readonly string[] | undefined;
type Attributes = Readonly<Record<string, Attribute>>;

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly isError: boolean;
  readonly attributes: Attributes;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
}

interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly type: "sum" | "histogram";
  readonly points: readonly {
    readonly attributes: Attributes;
    readonly value?: number;
    readonly count?: number;
    readonly bounds?: readonly number[];
  }[];
}

interface ReceivedLog {
  readonly severity: string;
  readonly body: string;
  readonly attributes: Attributes;
}

/** The parts of the messages that are read. */
interface Value {
  readonly stringValue?: string;
  readonly intValue?: string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values?: readonly { readonly stringValue: string }[] };
}
type Pairs = readonly { readonly key: string; readonly value: Value }[];
interface Scope {
  readonly schemaUrl?: string;
  readonly spans?: readonly {
    readonly traceId: string;
    readonly spanId: string;
    readonly parentSpanId?: string;
    readonly name: string;
    readonly kind: number;
    readonly startTimeUnixNano: string;
    readonly endTimeUnixNano: string;
    readonly attributes?: Pairs;
    readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
    readonly status?: { readonly code?: number };
  }[];
  readonly metrics?: readonly {
    readonly name: string;
    readonly unit: string;
    readonly sum?: { readonly dataPoints: readonly Point[] };
    readonly histogram?: { readonly dataPoints: readonly Point[] };
  }[];
  readonly logRecords?: readonly {
    readonly severityText: string;
    readonly body: Value;
    readonly attributes?: Pairs;
  }[];
}
interface Point {
  readonly attributes?: Pairs;
  readonly asDouble?: number;
  readonly count?: string;
  readonly explicitBounds?: readonly number[];
}
interface Group {
  readonly resource: { readonly attributes: Pairs };
  readonly scopeSpans?: readonly Scope[];
  readonly scopeMetrics?: readonly Scope[];
  readonly scopeLogs?: readonly Scope[];
}
interface ExportRequest {
  readonly resourceSpans?: readonly Group[];
  readonly resourceMetrics?: readonly Group[];
  readonly resourceLogs?: readonly Group[];
}
interface Message {
  decode(bytes: Uint8Array): object;
  toObject(message: object, options: object): ExportRequest;
}
interface Root {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: {
        readonly trace: { readonly v1: { readonly ExportTraceServiceRequest: Message } };
        readonly metrics: { readonly v1: { readonly ExportMetricsServiceRequest: Message } };
        readonly logs: { readonly v1: { readonly ExportLogsServiceRequest: Message } };
      };
    };
  };
}

const { trace, metrics, logs } = (root as unknown as Root).opentelemetry.proto.collector;
const MESSAGES: Readonly<Record<string, Message>> = {
  "/v1/traces": trace.v1.ExportTraceServiceRequest,
  "/v1/metrics": metrics.v1.ExportMetricsServiceRequest,
  "/v1/logs": logs.v1.ExportLogsServiceRequest,
};

/** `status`: of all its answers; it decodes only if it is 200. */
export function openOtlpReceiver(status = 200): OtlpReceiver {
  const received = {
    spans: [] as ReceivedSpan[],
    metrics: [] as ReceivedMetric[],
    logs: [] as ReceivedLog[],
    resources: [] as Attributes[],
    schemaUrls: new Set<string>(),
    headers: [] as Headers[],
    raw: [] as string[],
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = new Uint8Array(await request.arrayBuffer());
      received.headers.push(request.headers);
      received.raw.push(Buffer.from(body).toString("latin1"));
      const message = MESSAGES[new URL(request.url).pathname];
      if (message === undefined) return new Response(null, { status: 404 });
      if (status === 200) take(message, body, received);
      return new Response(null, { status });
    },
  });
  return {
    ...received,
    url: `http://127.0.0.1:${server.port}`,
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}

function take(
  message: Message,
  body: Uint8Array,
  received: Omit<OtlpReceiver, "url" | typeof Symbol.asyncDispose>,
): void {
  const options = { longs: String, bytes: String, enums: Number };
  const request = message.toObject(message.decode(body), options);
  const groups = request.resourceSpans ?? request.resourceMetrics ?? request.resourceLogs ?? [];
  for (const group of groups) {
    received.resources.push(attributesOf(group.resource.attributes));
    for (const scope of group.scopeSpans ?? group.scopeMetrics ?? group.scopeLogs ?? []) {
      if (scope.schemaUrl !== undefined) received.schemaUrls.add(scope.schemaUrl);
      received.spans.push(...(scope.spans ?? []).map(toSpan));
      received.metrics.push(...(scope.metrics ?? []).map(toMetric));
      received.logs.push(
        ...(scope.logRecords ?? []).map(({ severityText, body: said, attributes }) => ({
          severity: severityText,
          body: said.stringValue ?? "",
          attributes: attributesOf(attributes),
        })),
      );
    }
  }
}

type Items<Name extends keyof Scope> =
  NonNullable<Scope[Name]> extends readonly (infer T)[] ? T : never;

function toSpan(span: Items<"spans">): ReceivedSpan {
  return {
    traceId: hex(span.traceId),
    spanId: hex(span.spanId),
    parentSpanId: hex(span.parentSpanId ?? ""),
    name: span.name,
    kind: span.kind,
    startMs: Number(span.startTimeUnixNano) / 1e6,
    endMs: Number(span.endTimeUnixNano) / 1e6,
    isError: span.status?.code === 2,
    attributes: attributesOf(span.attributes),
    links: (span.links ?? []).map(({ traceId, spanId }) => ({
      traceId: hex(traceId),
      spanId: hex(spanId),
    })),
  };
}

function toMetric({ name, unit, sum, histogram }: Items<"metrics">): ReceivedMetric {
  const points = (sum ?? histogram)?.dataPoints ?? [];
  return {
    name,
    unit,
    type: sum === undefined ? "histogram" : "sum",
    points: points.map((point) => ({
      attributes: attributesOf(point.attributes),
      ...(point.asDouble === undefined ? {} : { value: point.asDouble }),
      ...(point.count === undefined ? {} : { count: Number(point.count) }),
      ...(point.explicitBounds === undefined ? {} : { bounds: point.explicitBounds }),
    })),
  };
}

function attributesOf(pairs: Pairs = []): Attributes {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]));
}

function plain({ stringValue, intValue, doubleValue, boolValue, arrayValue }: Value): Attribute {
  if (arrayValue !== undefined) return arrayValue.values?.map((each) => each.stringValue) ?? [];
  return stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue));
}

/** The decoder writes bytes as base64. */
function hex(base64: string): string {
  return Buffer.from(base64, "base64").toString("hex");
}
