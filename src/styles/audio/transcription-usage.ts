import { usageOf, type Usage } from "#core/usage.ts";
import type { Json } from "#lib/json.ts";
import { memberOf, numberOf } from "#lib/values.ts";

/**
 * Usage of a transcription, in tokens or in seconds, as the vendor counts; undefined if the
 * response has none. `playMs`: length of the recording, if known.
 */
export function usageOfHeard(
  wire: Json | undefined,
  seconds: Json | undefined,
  playMs: number,
): Usage | undefined {
  const said = [memberOf(wire, "seconds"), memberOf(wire, "prompt_audio_seconds"), seconds];
  const inSeconds = said.map(usageOfSeconds).find((usage) => usage !== undefined);
  const inTokens = tokensIn(wire);
  return inTokens === undefined
    ? inSeconds
    : { ...inTokens, durationMs: inSeconds?.durationMs ?? playMs };
}

function tokensIn(wire: Json | undefined): Usage | undefined {
  const details =
    memberOf(wire, "input_token_details") ?? memberOf(wire, "prompt_tokens_details") ?? null;
  return usageOf({
    inputTokens: memberOf(wire, "input_tokens") ?? memberOf(wire, "prompt_tokens"),
    outputTokens: memberOf(wire, "output_tokens") ?? memberOf(wire, "completion_tokens") ?? 0,
    audioInputTokens: memberOf(details, "audio_tokens"),
  });
}

/** Rounded up to a whole millisecond. */
function usageOfSeconds(said: Json | undefined): Usage | undefined {
  const seconds = numberOf(said);
  if (seconds === undefined) return undefined;
  return usageOf({ inputTokens: 0, outputTokens: 0, durationMs: Math.ceil(seconds * 1_000) });
}
