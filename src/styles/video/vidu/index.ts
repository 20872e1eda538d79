import type { OutboundVideoFormat } from "#core/video.ts";
import { parseError } from "./failure.ts";
import { build, expect, ID, parseSubmitted, parseTask } from "./outbound.ts";

/** One address for each way to begin: words, a frame, two frames, references. */
export const viduVideo: OutboundVideoFormat = {
  id: ID,
  outbound: { build, expect, parseSubmitted, parseTask, parseError },
};
