import { TappedLog } from "#lib/log.ts";
import { Telemetry } from "#relay/telemetry/telemetry.ts";
import type { Infrastructure, Stores } from "./infrastructure.ts";
import type { Routing } from "./routing.ts";
import { VERSION } from "#version.ts";

/** Opens the export of traces, metrics and logs; undefined if none is configured. */
export async function openTelemetry(
  {
    settings,
    log,
    problems,
    clock,
    instance,
    storage,
    channels,
  }: Pick<Infrastructure, "settings" | "log" | "problems" | "clock" | "instance"> &
    Stores<"tasks"> &
    Pick<Routing, "channels">,
  opened: AsyncDisposableStack,
): Promise<Telemetry | undefined> {
  const { otelEndpoint: endpoint, otelHeaders: headers, otelDisabled: isDisabled } = settings;
  if (endpoint === undefined || isDisabled === "true") return undefined;
  // The packages are large: without this setting they are never loaded.
  const { OtlpExporter } = await import("#egress/otlp/otlp.ts");
  const find = (name: string) => channels.all.find((channel) => channel.name === name);
  const telemetry = new Telemetry({
    providerOf: (name) => find(name)?.provider,
    addressOf: (name) => find(name)?.baseUrl,
    traceparentOfTask: async (id) => (await storage.tasks.findAny(id))?.facts.traceparent,
    now: () => clock.monotonic(),
    onError: (cause) => problems.error("telemetry", cause, "telemetry of calls failed"),
    onDropped: (count) =>
      problems.write("warn", "telemetry", { dropped: count }, "too many calls: traces dropped"),
  });
  const exporter = opened.use(
    new OtlpExporter({
      endpoint,
      headers: headers?.open() ?? {},
      signals: settings.otelSignals,
      resource: {
        // Several gateways send counters of the same names.
        "service.instance.id": instance,
        ...settings.otelResource,
        "service.name": settings.otelServiceName,
      },
      version: VERSION,
      sampleRatio: settings.otelSampleRatio,
      metricIntervalMs: settings.otelMetricIntervalMs,
      readMetrics: () => telemetry.readMetrics(),
      onError: (signal, cause) =>
        problems.error(`otlp ${signal}`, cause, "telemetry export failed", { signal }),
    }),
  );
  // Ends before the exporter, which sends its last traces.
  opened.use(telemetry);
  telemetry.exportTo(exporter);
  const untap = TappedLog.of(log)?.tap((line) => exporter.log(line));
  if (untap !== undefined) opened.defer(untap);
  return telemetry;
}
