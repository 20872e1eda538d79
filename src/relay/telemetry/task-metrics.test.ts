import { expect, test } from "bun:test";
import { TaskMetrics } from "./task-metrics.ts";

function poll(more: object, place: object | undefined = { provider: "bedrock" }) {
  return { task: { place }, durationMs: 500, at: 0, ...more } as never;
}

function delivery(more: object, destinationId?: number) {
  return { delivery: { destinationId }, durationMs: 250, at: 0, state: "done", ...more } as never;
}

test("polls are timed by provider, result and fault", () => {
  const metrics = new TaskMetrics();
  metrics.countPoll(poll({ found: "running" }));
  metrics.countPoll(poll({ found: "running" }));
  metrics.countPoll({ ...(poll({ fault: "upstream_failed" }) as object), task: {} } as never);

  const [polls, ...more] = metrics.read();

  expect([polls?.name, polls?.unit, more]).toEqual(["sluice.task.poll.duration", "s", []]);
  expect(polls?.points.map(({ attributes }) => attributes)).toEqual([
    { "gen_ai.provider.name": "aws.bedrock", "sluice.task.found": "running" },
    { "error.type": "upstream_failed" },
  ]);
  expect(polls?.points[0]?.value).toMatchObject({ sum: 1, count: 2 });
});

test("attempts of webhooks are timed by kind, state and status", () => {
  const metrics = new TaskMetrics();
  metrics.countDelivery(delivery({}));
  metrics.countDelivery(delivery({ state: "pending", failure: { status: 500 } }, 7));

  const [deliveries] = metrics.read();

  expect(deliveries?.name).toBe("sluice.webhook.delivery.duration");
  expect(deliveries?.points.map(({ attributes }) => attributes)).toEqual([
    { "sluice.webhook.kind": "task", "sluice.webhook.state": "done" },
    { "sluice.webhook.kind": "alert", "sluice.webhook.state": "pending", "error.type": "500" },
  ]);
  expect(deliveries?.points[0]?.value).toMatchObject({ sum: 0.25, count: 1 });
});

test("nothing is reported before the first of a kind", () => {
  expect(new TaskMetrics().read()).toEqual([]);
});
