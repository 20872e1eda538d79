import { z } from "zod";
import type { Clock } from "#lib/clock.ts";

const YEAR_MINUTES = 525_600;

export const SILENCE = z.strictObject({
  minutes: z.int().min(0).max(YEAR_MINUTES).describe("Length of the silence; 0 ends it."),
});

/** Unix ms; null without a silence. */
export function silencedUntil(
  { minutes }: z.output<typeof SILENCE>,
  { now }: Pick<Clock, "now">,
): number | null {
  return minutes === 0 ? null : now() + minutes * 60_000;
}
