import { usageOf, type Usage } from "#core/usage.ts";
import { gradeOf, type TaskFacts } from "#core/video.ts";

/** For vendors that charge by length and kind; undefined if one of the two is unknown. */
export function usageBySeconds(
  seconds: number | undefined,
  facts: Pick<TaskFacts, "size" | "resolution" | "audio">,
): Usage | undefined {
  if (seconds === undefined || (facts.size ?? facts.resolution) === undefined) return undefined;
  return usageOf({
    inputTokens: 0,
    outputTokens: 0,
    durationMs: Math.round(seconds * 1_000),
    grade: gradeOf(facts),
  });
}
