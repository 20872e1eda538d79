import { describe, expect, test } from "bun:test";
import { Histogram } from "#lib/histogram.ts";
import { labelsOf, PrometheusText } from "#lib/prometheus-text.ts";
import { keepCounters, sumMetrics } from "./sum-metrics.ts";

function textOf({ calls, open, breaker, isUp, seconds }: Numbers): string {
  const durations = new Histogram([1, 10]);
  for (const each of seconds) durations.observe(each);
  const text = new PrometheusText();
  text.metric("counter", "sluice_calls_total", "Calls.");
  for (const [model, count] of Object.entries(calls)) text.sample(count, labelsOf({ model }));
  text.metric("gauge", "sluice_open_calls", "Open calls.").sample(open);
  text.metric("gauge", "sluice_channel_breaker", "Breaker.").sample(breaker, 'channel="a b"');
  text.metric("gauge", "sluice_database_up", "Database.").sample(isUp ? 1 : 0);
  text.metric("histogram", "sluice_call_seconds", "Durations.").histogram(durations, 1);
  return text.toString();
}

interface Numbers {
  readonly calls: Readonly<Record<string, number>>;
  readonly open: number;
  readonly breaker: number;
  readonly isUp: boolean;
  readonly seconds: readonly number[];
}

const ONE: Numbers = { calls: { m: 2 }, open: 3, breaker: 0, isUp: true, seconds: [0.5] };
const TWO: Numbers = {
  calls: { m: 5, 'odd "} name': 1 },
  open: 4,
  breaker: 2,
  isUp: false,
  seconds: [5, 50],
};

describe("the metrics of several workers", () => {
  test("are those of a single process that did all of their work", () => {
    expect(sumMetrics([textOf(ONE), textOf(TWO)])).toBe(
      textOf({
        calls: { m: 7, 'odd "} name': 1 },
        open: 7,
        breaker: 2,
        isUp: false,
        seconds: [0.5, 5, 50],
      }),
    );
  });

  test("of one worker are its own, and of none are empty", () => {
    expect(sumMetrics(["", textOf(TWO)])).toBe(textOf(TWO));
    expect(sumMetrics([])).toBe("");
  });

  test("keep the counters of a worker that ended, and not its gauges", () => {
    const ended = keepCounters(textOf(TWO));

    expect(ended).not.toContain("gauge");
    expect(sumMetrics([ended, textOf(ONE)])).toContain('sluice_calls_total{model="m"} 7\n');
    expect(sumMetrics([ended, textOf(ONE)])).toContain("sluice_call_seconds_count 3\n");
    expect(sumMetrics([ended, textOf(ONE)])).toContain("sluice_open_calls 3\n");
  });
});
