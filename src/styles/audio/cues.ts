const ARROW = "-->";
const TIME = /^\s*(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})/;
const MAX_TIME_CHARS = 64;

/** End of the last cue of SubRip or WebVTT text, in ms; undefined if it has no cue. */
export function endOfCues(captions: string): number | undefined {
  let rest = captions;
  // The text of a cue may contain an arrow, too.
  for (let at = rest.lastIndexOf(ARROW); at >= 0; at = rest.lastIndexOf(ARROW)) {
    const end = timeAt(captions, at + ARROW.length);
    if (end !== undefined) return end;
    rest = rest.slice(0, at);
  }
  return undefined;
}

/** The spoken text of captions, without the numbers and times of its cues. */
export function wordsOfCues(captions: string): string {
  const lines = captions.split(LINE_END);
  const isTime = (line = ""): boolean => TIME.test(line) && line.includes(ARROW);
  const isNumber = (line: string, at: number): boolean =>
    NUMBER.test(line) && isTime(lines[at + 1]);
  return lines
    .filter((line, at) => !isTime(line) && !isNumber(line, at) && !HEAD.test(line))
    .join("\n")
    .trim();
}

const LINE_END = /\r\n?|\n/;
const NUMBER = /^\s*\d{1,9}\s*$/;
const HEAD = /^WEBVTT(?:\s|$)/;

function timeAt(captions: string, at: number): number | undefined {
  const text = captions.slice(at, at + MAX_TIME_CHARS);
  const [, hours = "0", minutes, seconds, fraction = ""] = TIME.exec(text) ?? [];
  if (minutes === undefined || seconds === undefined) return undefined;
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return whole * 1_000 + Number(fraction.padEnd(3, "0"));
}
