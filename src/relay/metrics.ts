import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { CallRecord } from "#core/call.ts";
import type { Channel } from "#core/channel.ts";
import type { Health } from "./failover/health.ts";

export interface Metrics {
  observe(record: CallRecord): void;
  /** Delay between the due time of a poll and the poll. */
  observeLook(lateMs: number): void;
  render(): Promise<string>;
}

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const DELAYS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Model names come from configuration, but a discovered list can be long. */
const MAX_SERIES = 2_000;

const STATES = { closed: 0, "half-open": 1, open: 2 } as const;

/** Plain counters, which are cheap; the registry reads them when metrics are collected. */
export function openMetrics(
  channels: () => readonly Channel[],
  health: Health,
  tasks: () => number,
  bufferedBytes: () => number,
  catalogAgeDays: () => number,
): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const series = new Map<string, Series>();
  const tries = new Map<string, Tries>();

  new Counter({
    name: "sluice_calls_total",
    help: "Calls by how they ended.",
    labelNames: ["channel", "model", "outcome"],
    registers,
    collect() {
      this.reset();
      for (const each of series.values()) this.inc(each.labels, each.calls);
    },
  });
  new Counter({
    name: "sluice_cost_usd_total",
    help: "What calls were charged.",
    labelNames: ["channel", "model", "outcome"],
    registers,
    collect() {
      this.reset();
      for (const each of series.values()) this.inc(each.labels, each.costNanoUsd / 1e9);
    },
  });
  new Counter({
    name: "sluice_tokens_total",
    help: "Tokens by direction.",
    labelNames: ["channel", "model", "direction"],
    registers,
    collect() {
      this.reset();
      for (const { labels, inputTokens, outputTokens } of series.values()) {
        const { channel, model } = labels;
        this.inc({ channel, model, direction: "input" }, inputTokens);
        this.inc({ channel, model, direction: "output" }, outputTokens);
      }
    },
  });
  new Counter({
    name: "sluice_attempts_total",
    help: "Tries on channels; the fault is empty where one succeeded.",
    labelNames: ["channel", "fault"],
    registers,
    collect() {
      this.reset();
      for (const each of tries.values()) this.inc(each.labels, each.count);
    },
  });
  const duration = new Histogram({
    name: "sluice_call_seconds",
    help: "From admission to the end of the answer.",
    buckets: SECONDS,
    registers,
  });
  const firstByte = new Histogram({
    name: "sluice_first_byte_seconds",
    help: "From admission to the first byte of the answer.",
    buckets: SECONDS,
    registers,
  });
  new Gauge({
    name: "sluice_channel_in_flight",
    help: "Calls under way on a channel.",
    labelNames: ["channel"],
    registers,
    collect() {
      this.reset();
      for (const channel of channels())
        this.set({ channel: channel.name }, health.inFlight(channel));
    },
  });
  new Gauge({
    name: "sluice_channel_breaker",
    help: "0 closed, 1 half-open, 2 open.",
    labelNames: ["channel"],
    registers,
    collect() {
      this.reset();
      for (const channel of channels())
        this.set({ channel: channel.name }, STATES[health.state(channel)]);
    },
  });
  new Gauge({
    name: "sluice_tasks",
    help: "Unfinished videos in the hands of this gateway.",
    registers,
    collect() {
      this.set(tasks());
    },
  });
  const lateness = new Histogram({
    name: "sluice_task_look_delay_seconds",
    help: "From when a task was due to be looked at until it was.",
    buckets: DELAYS,
    registers,
  });
  new Gauge({
    name: "sluice_buffered_bytes",
    help: "Streamed answers that wait for slow readers.",
    registers,
    collect() {
      this.set(bufferedBytes());
    },
  });
  new Gauge({
    name: "sluice_catalog_age_days",
    help: "Days since the newest facts of the catalogue of models were read.",
    registers,
    collect() {
      this.set(catalogAgeDays());
    },
  });
  new Gauge({
    name: "sluice_memory_bytes",
    help: "Resident memory of the process.",
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });

  return {
    observeLook: (lateMs) => lateness.observe(Math.max(0, lateMs) / 1_000),
    observe(record) {
      const each = seriesFor(series, record);
      each.calls++;
      each.costNanoUsd += record.cost;
      each.inputTokens += record.usage.inputTokens;
      each.outputTokens += record.usage.outputTokens;
      for (const { channel, fault } of record.attempts)
        triesOf(tries, channel, fault ?? "").count++;
      duration.observe(record.durationMs / 1_000);
      if (record.firstByteMs !== null) firstByte.observe(record.firstByteMs / 1_000);
    },
    render: () => registry.metrics(),
  };
}

interface Series {
  readonly labels: { readonly channel: string; readonly model: string; readonly outcome: string };
  calls: number;
  costNanoUsd: number;
  inputTokens: number;
  outputTokens: number;
}

interface Tries {
  readonly labels: { readonly channel: string; readonly fault: string };
  count: number;
}

const OTHER = "other";

function seriesFor(series: Map<string, Series>, record: CallRecord): Series {
  const channel = record.channel ?? "";
  const { model, outcome } = record;
  const known = series.get(`${channel}\n${model}\n${outcome}`);
  if (known !== undefined) return known;
  if (series.size >= MAX_SERIES && model !== OTHER) {
    return seriesFor(series, { ...record, model: OTHER });
  }
  const labels = { channel, model, outcome };
  const opened: Series = { labels, calls: 0, costNanoUsd: 0, inputTokens: 0, outputTokens: 0 };
  series.set(`${channel}\n${model}\n${outcome}`, opened);
  return opened;
}

function triesOf(tries: Map<string, Tries>, channel: string, fault: string): Tries {
  const name = `${channel}\n${fault}`;
  let known = tries.get(name);
  if (known === undefined) tries.set(name, (known = { labels: { channel, fault }, count: 0 }));
  return known;
}
