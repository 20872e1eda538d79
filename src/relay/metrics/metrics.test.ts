import { expect, test } from "bun:test";
import { systemClock } from "#lib/clock.ts";
import { aChannel } from "#test/a-channel.ts";
import { aRecord } from "#test/a-record.ts";
import { Health } from "../failover/health.ts";
import { openMetrics } from "./metrics.ts";

test("a deleted channel has no metrics", () => {
  let channels = [aChannel({ name: "kept" }), aChannel({ name: "deleted" })];
  const metrics = openMetrics({
    channels: () => channels,
    health: new Health(systemClock),
    tasks: () => 0,
    openCalls: () => 0,
    bufferedBytes: () => 0,
    catalogAgeDays: () => 0,
  });
  const before = metrics.render();

  channels = channels.slice(0, 1);
  const after = metrics.render();

  expect(before).toContain('sluice_channel_breaker{channel="deleted"} 0');
  expect(after).toContain('sluice_channel_breaker{channel="kept"} 0');
  expect(after).not.toContain("deleted");
});

test("the work of the gateway and of its channels is measured", () => {
  const channel = aChannel({ name: "one" });
  const metrics = openMetrics({
    channels: () => [channel],
    health: { inFlight: () => 3, state: () => "half-open" },
    tasks: () => 4,
    openCalls: () => 5,
    bufferedBytes: () => 6,
    catalogAgeDays: () => 7,
  });
  metrics.observe(aRecord({}));
  metrics.observePoll(200);
  metrics.observePoll(-50);
  metrics.add((text) => text.metric("gauge", "sluice_more", "More.").sample(8));
  const cpuBefore = process.cpuUsage();

  const lines = metrics.render().split("\n");

  const cpuAfter = process.cpuUsage();
  for (const expected of [
    'sluice_channel_in_flight{channel="one"} 3',
    'sluice_channel_breaker{channel="one"} 1',
    "sluice_tasks 4",
    "sluice_open_calls 5",
    "sluice_buffered_bytes 6",
    "sluice_catalog_age_days 7",
    "sluice_more 8",
    'sluice_task_look_delay_seconds_bucket{le="0.1"} 1',
    'sluice_task_look_delay_seconds_bucket{le="0.25"} 2',
    "sluice_task_look_delay_seconds_sum 0.2",
    "# TYPE sluice_channel_in_flight gauge",
    "# TYPE sluice_cpu_seconds_total counter",
  ]) {
    expect(lines).toContain(expected);
  }
  expect(lines.some((line) => line.startsWith('sluice_calls_total{channel="one"'))).toBe(true);
  const valueOf = (name: string): number =>
    Number(lines.find((line) => line.startsWith(`${name} `))?.split(" ")[1]);
  expect(valueOf("sluice_memory_bytes")).toBeGreaterThan(1_000_000);
  expect(valueOf("sluice_cpu_seconds_total")).toBeWithin(
    (cpuBefore.user + cpuBefore.system) / 1e6,
    (cpuAfter.user + cpuAfter.system) / 1e6 + 0.000_001,
  );
});
