import { expect, test } from "bun:test";
import { systemClock } from "#lib/clock.ts";
import { aChannel } from "#test/a-channel.ts";
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
