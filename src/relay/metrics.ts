import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { CallRecord } from "#core/call.ts";
import type { Channel } from "#core/channel.ts";
import type { Health } from "./health.ts";

export interface Metrics {
  observe(record: CallRecord): void;
  render(): Promise<string>;
}

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
/** Model names come from configuration, but a discovered list can be long. */
const MAX_SERIES = 2_000;

const STATES = { closed: 0, "half-open": 1, open: 2 } as const;

export function openMetrics(channels: () => readonly Channel[], health: Health): Metrics {
  const registers = [new Registry()];
  const [registry = new Registry()] = registers;
  const labelNames = ["channel", "model", "outcome"] as const;
  const calls = new Counter({
    name: "sluice_calls_total",
    help: "Calls by how they ended.",
    labelNames,
    registers,
  });
  const cost = new Counter({
    name: "sluice_cost_usd_total",
    help: "What calls were charged.",
    labelNames,
    registers,
  });
  const tokens = new Counter({
    name: "sluice_tokens_total",
    help: "Tokens by direction.",
    labelNames: ["channel", "model", "direction"] as const,
    registers,
  });
  const attempts = new Counter({
    name: "sluice_attempts_total",
    help: "Tries on channels; the fault is empty where one succeeded.",
    labelNames: ["channel", "fault"] as const,
    registers,
  });
  const duration = new Histogram({
    name: "sluice_call_seconds",
    help: "From admission to the end of the answer.",
    labelNames: ["channel"] as const,
    buckets: SECONDS,
    registers,
  });
  const firstByte = new Histogram({
    name: "sluice_first_byte_seconds",
    help: "From admission to the first byte of the answer.",
    labelNames: ["channel"] as const,
    buckets: SECONDS,
    registers,
  });
  new Gauge({
    name: "sluice_channel_in_flight",
    help: "Calls under way on a channel.",
    labelNames: ["channel"] as const,
    registers,
    collect() {
      for (const channel of channels())
        this.set({ channel: channel.name }, health.inFlight(channel));
    },
  });
  new Gauge({
    name: "sluice_channel_breaker",
    help: "0 closed, 1 half-open, 2 open.",
    labelNames: ["channel"] as const,
    registers,
    collect() {
      for (const channel of channels())
        this.set({ channel: channel.name }, STATES[health.state(channel)]);
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

  const series = new Map<string, Series>();
  const seriesFor = (channel: string, model: string, outcome: string): Series => {
    const name = `${channel}\n${model}\n${outcome}`;
    const known = series.get(name);
    if (known !== undefined) return known;
    if (series.size >= MAX_SERIES && model !== OTHER) return seriesFor(channel, OTHER, outcome);
    const opened: Series = {
      calls: calls.labels({ channel, model, outcome }),
      cost: cost.labels({ channel, model, outcome }),
      input: tokens.labels({ channel, model, direction: "input" }),
      output: tokens.labels({ channel, model, direction: "output" }),
      duration: duration.labels({ channel }),
      firstByte: firstByte.labels({ channel }),
    };
    series.set(name, opened);
    return opened;
  };

  const triesByFault = new Map<string, Counter.Internal>();
  const attemptsOf = (channel: string, fault: string): Counter.Internal => {
    const name = `${channel}\n${fault}`;
    let tries = triesByFault.get(name);
    if (tries === undefined) triesByFault.set(name, (tries = attempts.labels({ channel, fault })));
    return tries;
  };

  return {
    observe(record) {
      const each = seriesFor(record.channel ?? "", record.model, record.outcome);
      each.calls.inc();
      each.cost.inc(record.cost / 1e9);
      each.input.inc(record.usage.inputTokens);
      each.output.inc(record.usage.outputTokens);
      each.duration.observe(record.durationMs / 1_000);
      if (record.firstByteMs !== null) each.firstByte.observe(record.firstByteMs / 1_000);
      for (const { channel, fault } of record.attempts) attemptsOf(channel, fault ?? "").inc();
    },
    render: () => registry.metrics(),
  };
}

const OTHER = "other";

/** The counters of one combination, looked up once: resolving labels costs more than counting. */
interface Series {
  readonly calls: Counter.Internal;
  readonly cost: Counter.Internal;
  readonly input: Counter.Internal;
  readonly output: Counter.Internal;
  readonly duration: Histogram.Internal<"channel">;
  readonly firstByte: Histogram.Internal<"channel">;
}
