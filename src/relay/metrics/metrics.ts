import type { Channel } from "#core/channel.ts";
import type { CallRecord } from "#core/call.ts";
import { Histogram } from "#lib/histogram.ts";
import { labelsOf, PrometheusText } from "#lib/prometheus-text.ts";
import type { Health } from "../failover/health.ts";
import { CallMetrics } from "./call-metrics.ts";

/** Writes the metrics of one module. */
type Collect = (text: PrometheusText) => void;

export interface Metrics {
  readonly calls: CallMetrics;
  observe(record: CallRecord): void;
  /** Delay between the due time of a poll and the poll. */
  observePoll(lateMs: number): void;
  /** Adds the metrics of a module that is opened later. */
  add(collect: Collect): void;
  render(): string;
}

interface Sources {
  readonly channels: () => readonly Channel[];
  readonly health: Pick<Health, "inFlight" | "state">;
  readonly tasks: () => number;
  readonly openCalls: () => number;
  readonly bufferedBytes: () => number;
  readonly catalogAgeDays: () => number;
}

const POLL_DELAYS_MS = [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000];
const STATES = { closed: 0, "half-open": 1, open: 2 } as const;

/** Plain counters, which are written as text when they are asked for. */
export function openMetrics(sources: Sources): Metrics {
  const calls = new CallMetrics();
  const pollDelays = new Histogram(POLL_DELAYS_MS);
  const collectors: Collect[] = [
    (text) => calls.write(text),
    (text) => writeChannels(text, sources),
    (text) => writeWork(text, sources, pollDelays),
    writeProcess,
  ];
  return {
    calls,
    observe: (record) => calls.observe(record),
    observePoll: (lateMs) => pollDelays.observe(Math.max(0, lateMs)),
    add: (collect) => void collectors.push(collect),
    render() {
      const text = new PrometheusText();
      for (const collect of collectors) collect(text);
      return text.toString();
    },
  };
}

function writeChannels(text: PrometheusText, { channels, health }: Sources): void {
  const all = channels().map((channel) => ({
    labels: labelsOf({ channel: channel.name }),
    inFlight: health.inFlight(channel),
    state: STATES[health.state(channel)],
  }));
  text.metric("gauge", "sluice_channel_in_flight", "Running calls of a channel.");
  for (const { labels, inFlight } of all) text.sample(inFlight, labels);
  text.metric(
    "gauge",
    "sluice_channel_breaker",
    "Circuit breaker of a channel: 0 closed, 1 half-open, 2 open.",
  );
  for (const { labels, state } of all) text.sample(state, labels);
}

function writeWork(text: PrometheusText, sources: Sources, pollDelays: Histogram): void {
  text
    .metric("gauge", "sluice_open_calls", "Calls between admission and settlement.")
    .sample(sources.openCalls())
    .metric("gauge", "sluice_tasks", "Unfinished video tasks of this gateway.")
    .sample(sources.tasks())
    .metric(
      "histogram",
      "sluice_task_look_delay_seconds",
      "Time from the due time of a task's poll to the poll.",
    )
    .histogram(pollDelays, 0.001)
    .metric("gauge", "sluice_buffered_bytes", "Bytes of streams that wait for slow clients.")
    .sample(sources.bufferedBytes())
    .metric("gauge", "sluice_catalog_age_days", "Age of the model catalogue in days.")
    .sample(sources.catalogAgeDays());
}

function writeProcess(text: PrometheusText): void {
  const { user, system } = process.cpuUsage();
  text
    .metric("gauge", "sluice_memory_bytes", "Resident memory of the process.")
    .sample(process.memoryUsage.rss())
    .metric("counter", "sluice_cpu_seconds_total", "CPU time of the process.")
    .sample((user + system) / 1e6);
}
