import type { InboundVideoFormat, OutboundVideoFormat } from "#core/video.ts";
import { parseError } from "./failure.ts";
import { inbound } from "./inbound.ts";
import { build, expect, ID, parseContent, parseSubmitted, parseTask } from "./outbound.ts";

/** One address for each way to begin: words, a frame, two frames, references. */
export const viduVideo: InboundVideoFormat & OutboundVideoFormat = {
  id: ID,
  inbound,
  outbound: { build, expect, parseSubmitted, parseTask, parseContent, parseError },
};
