import type { Spoken } from "./transcript.ts";

/** As SubRip has it: numbered, with a comma before the thousandths. */
export function srt(segments: readonly Spoken[]): string {
  const cues = segments.map(
    ({ start, end, text }, index) =>
      `${index + 1}\n${time(start, ",")} --> ${time(end, ",")}\n${text}\n\n`,
  );
  return cues.join("");
}

/** As browsers take it. */
export function vtt(segments: readonly Spoken[]): string {
  const cues = segments.map(
    ({ start, end, text }) => `${time(start, ".")} --> ${time(end, ".")}\n${text}\n\n`,
  );
  return `WEBVTT\n\n${cues.join("")}`;
}

function time(seconds: number, point: string): string {
  const whole = Math.round(seconds * 1_000);
  const parts = [whole / 3_600_000, (whole / 60_000) % 60, (whole / 1_000) % 60];
  const clock = parts.map((part) => String(Math.floor(part)).padStart(2, "0")).join(":");
  return `${clock}${point}${String(whole % 1_000).padStart(3, "0")}`;
}
