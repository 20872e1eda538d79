import type { VideoMedia, VideoScenario } from "#core/video.ts";

/** The scenario, derived from the input media. */
export function scenarioOf(media: readonly VideoMedia[]): VideoScenario {
  const has = (role: VideoMedia["role"]): boolean => media.some((each) => each.role === role);
  const isMixed = media.some(({ type, role }) => type === "video" || role === "base");
  if (isMixed || media.some(({ type, role }) => type === "audio" && role === "reference")) {
    return "omni";
  }
  if (has("last_frame")) return "first_last";
  if (has("first_frame")) return "first_frame";
  return has("reference") ? "reference" : "text";
}
