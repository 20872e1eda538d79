import { expect, test } from "bun:test";
import { systemClock } from "#lib/clock.ts";
import { Health } from "./failover/health.ts";
import { openMetrics } from "./metrics.ts";
import { aChannel } from "#test/a-channel.ts";

test("a deleted channel has no metrics", async () => {
  let channels = [aChannel({ name: "kept" }), aChannel({ name: "deleted" })];
  const metrics = openMetrics(
    () => channels,
    new Health(systemClock),
    () => 0,
    () => 0,
    () => 0,
  );
  const before = await metrics.render();

  channels = channels.slice(0, 1);
  const after = await metrics.render();

  expect(before).toContain('sluice_channel_breaker{channel="deleted"} 0');
  expect(after).toContain('sluice_channel_breaker{channel="kept"} 0');
  expect(after).not.toContain("deleted");
});
