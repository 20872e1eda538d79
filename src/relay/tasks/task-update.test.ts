import { describe, expect, test } from "bun:test";
import { expectedUsage, type MadeVideo, type TaskFacts } from "#core/video.ts";
import { aTask } from "#test/a-task.ts";
import { applyUpdate } from "./task-update.ts";

const NOW = 1_800_000_000_000;

describe("what a task used, where its vendor counts nothing,", () => {
  const facts: TaskFacts = { scenario: "text", prompt: "a fox", seconds: 8, count: 4 };
  const usage = expectedUsage(facts, facts);
  const asked = aTask({ status: "running", usage, facts });
  const videos = (count: number): readonly MadeVideo[] =>
    Array.from({ length: count }, (_, at) => ({ url: `https://cdn.example/${at}.mp4` }));

  test("is what was expected of it", () => {
    const change = applyUpdate({ state: "succeeded", videos: videos(4) }, asked, NOW);

    expect(change?.usage).toEqual(usage);
  });

  test("is less where some of its videos were filtered out", () => {
    const change = applyUpdate({ state: "succeeded", videos: videos(3) }, asked, NOW);

    expect(change?.usage).toEqual(expectedUsage({ ...facts, count: 3 }, facts));
    expect(change?.usage?.durationMs).toBe(24_000);
  });

  test("is more where they are longer than was asked for", () => {
    const update = { state: "succeeded", videos: videos(4), facts: { seconds: 10 } } as const;

    expect(applyUpdate(update, asked, NOW)?.usage?.durationMs).toBe(40_000);
  });
});
