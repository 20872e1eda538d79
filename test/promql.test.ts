import { expect, test } from "bun:test";
import { groupingsIn, samplesIn, select, selectorsIn } from "./promql.ts";

test("a query's metrics are found with their matchers, and nothing else", () => {
  const query =
    'histogram_quantile(0.95, sum by (le, model) (rate(a_bucket{x="1",y!~"b|c"}[5m]))) / on (z) count(d) > 1';

  expect(selectorsIn(query)).toEqual([
    {
      metric: "a_bucket",
      matchers: [
        { label: "x", how: "=", value: "1" },
        { label: "y", how: "!~", value: "b|c" },
      ],
    },
    { metric: "d", matchers: [] },
  ]);
  expect(groupingsIn(query)).toEqual(["le", "model", "z"]);
});

test("samples are selected as Prometheus does it, but an unknown label selects nothing", () => {
  const samples = samplesIn('# TYPE a counter\na{x="1"} 2\na{x="2",y="q\\"{}"} 3\nb 1\n');
  const count = (query: string): number =>
    selectorsIn(query).reduce((sum, each) => sum + select(samples, each).length, 0);

  expect(samples).toHaveLength(3);
  expect(count("a")).toBe(2);
  expect(count('a{x="1"}')).toBe(1);
  expect(count('a{x!="1"}')).toBe(1);
  expect(count('a{x=~"1|2"}')).toBe(2);
  expect(count('a{z!="1"}')).toBe(0);
  expect(count("c")).toBe(0);
});
