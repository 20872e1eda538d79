import type { ReactNode } from "react";
import { classes } from "./classes.ts";

export type Tone = "good" | "warn" | "bad" | "info" | "neutral";

const TONES: Record<Tone, string> = {
  good: "text-good bg-good-soft",
  warn: "text-warn bg-warn-soft",
  bad: "text-bad bg-bad-soft",
  info: "text-info bg-info-soft",
  neutral: "text-muted bg-hover",
};

/** A state in a word; the colour only repeats it. */
export function Badge({
  tone = "neutral",
  title,
  children,
}: {
  readonly tone?: Tone;
  readonly title?: string | undefined;
  readonly children: ReactNode;
}) {
  return (
    <span
      title={title}
      className={classes(
        "inline-flex items-center rounded-sm px-1.5 text-xs leading-5 font-medium whitespace-nowrap",
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}
