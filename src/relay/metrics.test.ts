import { expect, test } from "bun:test";
import type { Channel } from "#core/channel.ts";
import { systemClock } from "#lib/clock.ts";
import { Health } from "./health.ts";
import { openMetrics } from "./metrics.ts";

test("a channel that was deleted is not measured any more", async () => {
  const channel = (name: string): Channel => ({
    name,
    provider: "openai",
    baseUrl: "https://vendor.example",
    credentials: [],
    models: { kind: "discover" },
    priority: 0,
    weight: 1,
    maxConcurrent: 1,
    isSimulated: false,
  });
  let channels = [channel("kept"), channel("deleted")];
  const metrics = openMetrics(
    () => channels,
    new Health(systemClock),
    () => 0,
  );
  const before = await metrics.render();

  channels = channels.slice(0, 1);
  const after = await metrics.render();

  expect(before).toContain('sluice_channel_breaker{channel="deleted"} 0');
  expect(after).toContain('sluice_channel_breaker{channel="kept"} 0');
  expect(after).not.toContain("deleted");
});
