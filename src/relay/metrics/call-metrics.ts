import type { AttemptRecord, CallOutcome, CallRecord } from "#core/call.ts";
import { FAULTS, type FaultCode } from "#core/error.ts";
import { Histogram } from "#lib/histogram.ts";
import { labelsOf, type PrometheusText } from "#lib/prometheus-text.ts";
import type { CallObserver } from "../call-observers.ts";
import { KnownModels } from "./known-models.ts";

const TIMES_MS = [
  1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000,
  600_000,
];
const OVERHEADS_MS = [0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10, 25, 50, 100, 250, 1_000];
const OUTCOMES: readonly CallOutcome[] = ["completed", "failed", "canceled", "interrupted"];
/** A discovered list of models can be long. */
const MAX_SERIES = 1_000;
/** Any text of a client. */
const UNKNOWN = "unknown";
/** Models above the maximum number of series. */
const OTHER = "other";
const SECONDS_PER_MS = 0.001;

/** Counts finished calls by channel, model and style; refusals by reason. */
export class CallMetrics implements CallObserver {
  readonly #models = new KnownModels();
  /** By channel, model and style: three look-ups cost less than one joined name. */
  readonly #series = new Map<string, Map<string, Map<string, Series>>>();
  #seriesCount = 0;
  readonly #attempts = new Map<string, Map<string, number>>();
  /** By style, each of which serves one endpoint family. */
  readonly #overheads = new Map<string, Overheads>();
  readonly #refusals = new Map<string, { readonly status: number; count: number }>();

  observe(record: CallRecord): void {
    const { channel, attempts, firstByteMs, overheadMs, usage } = record;
    const model = this.#models.nameOf(record) ?? UNKNOWN;
    const series = this.#seriesOf(channel ?? "", model, record);
    series.count(record);
    for (const attempt of attempts) this.#countAttempt(attempt);
    series.durationsMs.observe(record.durationMs);
    if (firstByteMs !== null) series.firstBytesMs.observe(firstByteMs);
    series.inputTokens += usage.inputTokens;
    series.cachedInputTokens += usage.cachedInputTokens;
    series.cacheWriteTokens += usage.cacheWriteTokens;
    series.outputTokens += usage.outputTokens;
    series.reasoningTokens += usage.reasoningTokens;
    if (overheadMs !== undefined && overheadMs !== null)
      this.#overheadsOf(record).observe(overheadMs);
    if (isRefusal(record)) this.countRefusal(FAULTS[record.fault].status, record.fault);
  }

  /** A request that was refused before it was a call, or a refused call. */
  countRefusal(status: number, reason: string): void {
    const known = this.#refusals.get(reason);
    if (known === undefined) this.#refusals.set(reason, { status, count: 1 });
    else known.count++;
  }

  write(text: PrometheusText): void {
    const all = [...this.#allSeries()];
    writeCounts(text, all);
    text.metric("counter", "sluice_attempts_total", "Attempts by fault; empty if it succeeded.");
    for (const [channel, faults] of this.#attempts) {
      for (const [fault, count] of faults) text.sample(count, labelsOf({ channel, fault }));
    }
    text.metric("counter", "sluice_refused_total", "Refused calls and requests by reason.");
    for (const [reason, { status, count }] of this.#refusals) {
      text.sample(count, labelsOf({ status: String(status), reason }));
    }
    writeTimes(text, all);
    text.metric(
      "histogram",
      "sluice_overhead_seconds",
      "Time to the first byte of an answer that was not spent waiting for upstreams.",
    );
    for (const [style, { endpoint, overheads }] of this.#overheads) {
      text.histogram(overheads, SECONDS_PER_MS, labelsOf({ style, endpoint }));
    }
  }

  #seriesOf(channel: string, model: string, of: Pick<CallRecord, "style" | "endpoint">): Series {
    const { style } = of;
    const known = this.#series.get(channel)?.get(model)?.get(style);
    if (known !== undefined) return known;
    // The series of other models are few: one for each channel and style.
    if (this.#seriesCount >= MAX_SERIES && model !== OTHER && model !== UNKNOWN) {
      return this.#seriesOf(channel, OTHER, of);
    }
    const made = new Series({ channel, model, style, endpoint: of.endpoint ?? "" });
    const ofChannel = childOf(this.#series, channel, () => new Map<string, Map<string, Series>>());
    childOf(ofChannel, model, () => new Map<string, Series>()).set(style, made);
    this.#seriesCount++;
    return made;
  }

  *#allSeries(): Generator<Series> {
    for (const ofChannel of this.#series.values()) {
      for (const ofModel of ofChannel.values()) yield* ofModel.values();
    }
  }

  #countAttempt({ channel, fault }: AttemptRecord): void {
    const faults = childOf(this.#attempts, channel, () => new Map<string, number>());
    faults.set(fault ?? "", (faults.get(fault ?? "") ?? 0) + 1);
  }

  #overheadsOf({ style, endpoint }: Pick<CallRecord, "style" | "endpoint">): Histogram {
    return childOf(this.#overheads, style, () => ({
      endpoint: endpoint ?? "",
      overheads: new Histogram(OVERHEADS_MS),
    })).overheads;
  }
}

interface Overheads {
  readonly endpoint: string;
  readonly overheads: Histogram;
}

/** The calls of one model on one channel in one style. */
class Series {
  readonly names: Readonly<Record<"channel" | "model" | "style" | "endpoint", string>>;
  /** By the index of the outcome. */
  readonly calls = new Float64Array(OUTCOMES.length);
  readonly costNanoUsd = new Float64Array(OUTCOMES.length);
  inputTokens = 0;
  cachedInputTokens = 0;
  cacheWriteTokens = 0;
  outputTokens = 0;
  reasoningTokens = 0;
  readonly durationsMs = new Histogram(TIMES_MS);
  readonly firstBytesMs = new Histogram(TIMES_MS);

  constructor(names: Series["names"]) {
    this.names = names;
  }

  count({ outcome, cost }: CallRecord): void {
    const index = OUTCOMES.indexOf(outcome);
    this.calls[index] = (this.calls[index] ?? 0) + 1;
    this.costNanoUsd[index] = (this.costNanoUsd[index] ?? 0) + cost;
  }
}

/** The kinds of tokens; cached, cache writes and reasoning are parts of input and output. */
const TOKENS = [
  ["input", "inputTokens"],
  ["cached_input", "cachedInputTokens"],
  ["cache_write", "cacheWriteTokens"],
  ["output", "outputTokens"],
  ["reasoning", "reasoningTokens"],
] as const;

function writeCounts(text: PrometheusText, all: readonly Series[]): void {
  text.metric("counter", "sluice_calls_total", "Calls by outcome.");
  for (const { names, calls } of all) {
    for (const [index, outcome] of OUTCOMES.entries()) {
      const count = calls[index] ?? 0;
      if (count > 0) text.sample(count, labelsOf({ ...names, outcome }));
    }
  }
  text.metric("counter", "sluice_cost_usd_total", "Charged amount of calls in US dollars.");
  for (const { names, calls, costNanoUsd } of all) {
    for (const [index, outcome] of OUTCOMES.entries()) {
      const usd = (costNanoUsd[index] ?? 0) / 1e9;
      if ((calls[index] ?? 0) > 0) text.sample(usd, labelsOf({ ...names, outcome }));
    }
  }
  text.metric(
    "counter",
    "sluice_tokens_total",
    "Tokens; cached_input and cache_write are parts of input, reasoning is a part of output.",
  );
  for (const series of all) {
    for (const [direction, member] of TOKENS) {
      text.sample(series[member], labelsOf({ ...series.names, direction }));
    }
  }
}

function writeTimes(text: PrometheusText, all: readonly Series[]): void {
  text.metric("histogram", "sluice_call_seconds", "Time from admission to the end of the answer.");
  for (const { names, durationsMs } of all) {
    text.histogram(durationsMs, SECONDS_PER_MS, labelsOf(names));
  }
  text.metric(
    "histogram",
    "sluice_first_byte_seconds",
    "Time from admission to the first byte of the answer.",
  );
  for (const { names, firstBytesMs } of all) {
    if (firstBytesMs.count > 0) {
      text.histogram(firstBytesMs, SECONDS_PER_MS, labelsOf(names));
    }
  }
}

/** It failed before any upstream was asked. */
function isRefusal(record: CallRecord): record is CallRecord & { readonly fault: FaultCode } {
  const { channel, fault, attempts } = record;
  return fault !== null && channel === null && attempts.length === 0;
}

function childOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let child = map.get(key);
  if (child === undefined) map.set(key, (child = make()));
  return child;
}
