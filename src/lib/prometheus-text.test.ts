import { expect, test } from "bun:test";
import { Histogram } from "./histogram.ts";
import { labelsOf, PrometheusText } from "./prometheus-text.ts";

test("a metric is its help, its type and its samples", () => {
  const text = new PrometheusText()
    .metric("counter", "calls_total", "Calls\nby outcome.")
    .sample(3, labelsOf({ outcome: "failed" }))
    .metric("gauge", "memory_bytes", "Memory.")
    .sample(1.5);

  expect(text.toString()).toBe(
    [
      "# HELP calls_total Calls\\nby outcome.",
      "# TYPE calls_total counter",
      'calls_total{outcome="failed"} 3',
      "# HELP memory_bytes Memory.",
      "# TYPE memory_bytes gauge",
      "memory_bytes 1.5",
      "",
    ].join("\n"),
  );
});

test("quotes, backslashes and line ends in a label are escaped", () => {
  expect(labelsOf({ model: 'a"b\\c\nd', channel: "one" })).toBe(
    'model="a\\"b\\\\c\\nd",channel="one"',
  );
});

test("a histogram has cumulative buckets with inclusive bounds, a sum and a count", () => {
  const histogram = new Histogram([1, 5]);
  for (const value of [0.5, 1, 5, 6]) histogram.observe(value);

  const lines = new PrometheusText()
    .metric("histogram", "h_seconds", "Times.")
    .histogram(histogram, 0.001)
    .toString()
    .split("\n");

  expect(lines.slice(2)).toEqual([
    'h_seconds_bucket{le="0.001"} 2',
    'h_seconds_bucket{le="0.005"} 3',
    'h_seconds_bucket{le="+Inf"} 4',
    "h_seconds_sum 0.0125",
    "h_seconds_count 4",
    "",
  ]);
  expect(histogram.count).toBe(4);
});
