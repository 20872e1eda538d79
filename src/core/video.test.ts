import { expect, test } from "bun:test";
import { expectedUsage, type TaskFacts } from "./video.ts";

test.each([
  ["its seconds", { seconds: 8, frames: 121 }, 8_000],
  ["its frames, if nothing else is known", { frames: 241 }, 10_000],
  ["its frames at their rate", { frames: 61, framesPerSecond: 30 }, 2_000],
  ["the default, if nothing is set", {}, 5_000],
  ["the default, if it is unknown", { seconds: -1 }, 5_000],
  ["the default, with a single frame", { frames: 1 }, 5_000],
  ["all of them together, if there are several", { seconds: 4, count: 2 }, 8_000],
])("the expected charge of a video is %s", (_what, said, durationMs) => {
  const facts: TaskFacts = { scenario: "text", ...said };

  expect(expectedUsage(facts, {}).durationMs).toBe(durationMs);
});
