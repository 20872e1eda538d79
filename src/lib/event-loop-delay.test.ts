import { expect, test } from "bun:test";
import { systemClock } from "./clock.ts";
import { EventLoopDelay } from "./event-loop-delay.ts";

test("a step that blocks the event loop is measured as delay", async () => {
  using delay = new EventLoopDelay(systemClock);
  await Bun.sleep(20);

  const endsAt = performance.now() + 300;
  while (performance.now() < endsAt);
  await Bun.sleep(150);

  expect(delay.delaysMs.count).toBeGreaterThan(0);
  expect(delay.delaysMs.sum).toBeGreaterThan(100);
});
