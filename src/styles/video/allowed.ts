import { invalid } from "#core/error.ts";
import type { VideoRequest } from "#core/video.ts";

/** Supported lengths in seconds: a range of whole numbers, or a list. */
export type Lengths = readonly number[] | { readonly min: number; readonly max: number };

/** Throws `invalid_request` for an unsupported value; without a list every value is accepted. */
export function oneOf<T extends string | number>(
  value: T | undefined,
  allowed: readonly T[] | undefined,
  param: string,
): T | undefined {
  if (value === undefined || allowed === undefined || allowed.includes(value)) return value;
  throw invalid(param, `'${param}' must be ${listed(allowed)}.`);
}

/** `4, 6 or 8`. */
function listed(values: readonly (string | number)[]): string {
  const last = values.at(-1);
  return values.length < 2 ? String(last) : `${values.slice(0, -1).join(", ")} or ${last}`;
}

export function within(seconds: number, lengths: Lengths | undefined): number {
  if (!Number.isInteger(seconds) || seconds < 1) {
    throw invalid("duration", "'duration' must be a whole number of seconds.");
  }
  if (lengths === undefined) return seconds;
  if (!("min" in lengths)) return oneOf(seconds, lengths, "duration") ?? seconds;
  const { min, max } = lengths;
  if (seconds >= min && seconds <= max) return seconds;
  throw invalid("duration", `'duration' must be a whole number from ${min} to ${max}.`);
}

/** The model's maximum length; undefined if unknown. */
export function mostOf(lengths: Lengths | undefined): number | undefined {
  if (lengths === undefined) return undefined;
  return "min" in lengths ? lengths.max : Math.max(...lengths);
}

const FRAMES_A_SECOND = 24;
/** Seconds by which a number of frames may miss a whole length: vendors count a frame more or less. */
const NEARLY = 0.1;

/** The requested length, given in seconds or in frames. */
export function secondsOf(
  { seconds, frames, framesPerSecond = FRAMES_A_SECOND }: VideoRequest,
  lengths: Lengths | undefined,
): number | undefined {
  if (seconds !== undefined) return within(seconds, lengths);
  if (frames === undefined) return undefined;
  const exact = frames / framesPerSecond;
  const whole = Math.round(exact);
  if (whole >= 1 && Math.abs(exact - whole) <= NEARLY) return within(whole, lengths);
  const rate = `${framesPerSecond} a second`;
  throw invalid("frames", `'frames' must make whole seconds for this model, at ${rate}.`);
}

export function checkPrompt(
  prompt: string | undefined,
  { max, isRequired }: { readonly max: number; readonly isRequired: boolean },
): void {
  if (isRequired && (prompt ?? "").trim() === "") throw invalid("prompt", "'prompt' is required.");
  if ((prompt ?? "").length <= max) return;
  throw invalid("prompt", `'prompt' must have at most ${max} characters.`);
}
