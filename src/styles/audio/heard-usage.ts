import { usageOf, type Usage } from "#core/usage.ts";
import type { Json } from "#lib/json.ts";
import { memberOf, numberOf } from "#lib/values.ts";

/** Far above any recording's; a longer one is a mistake. */
export const MAX_PLAY_MS = 7 * 24 * 3_600_000;

/**
 * What was used for what was heard, in tokens or in seconds, as its vendor
 * counts; undefined where nothing is said. `playMs`: of the recording, as far
 * as it is known here.
 */
export function usageOfHeard(
  wire: Json | undefined,
  seconds: Json | undefined,
  playMs: number,
): Usage | undefined {
  const said = [memberOf(wire, "seconds"), memberOf(wire, "prompt_audio_seconds"), seconds];
  const durationMs = said.map(msOf).find((ms) => ms !== undefined);
  const tokens = tokensIn(wire);
  if (tokens === undefined && durationMs === undefined) return undefined;
  const counted = tokens ?? usageOf({ inputTokens: 0, outputTokens: 0 });
  return counted && { ...counted, durationMs: durationMs ?? playMs };
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

/** The next whole millisecond. */
function msOf(seconds: Json | undefined): number | undefined {
  const ms = Math.ceil((numberOf(seconds) ?? -1) * 1_000);
  return ms >= 0 && ms <= MAX_PLAY_MS ? ms : undefined;
}
