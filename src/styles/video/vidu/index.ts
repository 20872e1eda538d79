import type { InboundVideoFormat, OutboundVideoFormat } from "#core/video.ts";
import { parseError } from "./failure.ts";
import { inbound } from "./inbound.ts";
import { build, expect, ID, parseContent, parseSubmitted, parseTask } from "./outbound.ts";

/** One path per scenario: text, first frame, first and last frame, references. */
export const viduVideo: InboundVideoFormat & OutboundVideoFormat = {
  id: ID,
  inbound,
  outbound: { build, expect, parseSubmitted, parseTask, parseContent, parseError },
};
