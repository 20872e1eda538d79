import type { InboundVideoFormat, OutboundVideoFormat } from "#core/video.ts";
import { parseError } from "./failure.ts";
import { inbound } from "./inbound.ts";
import { build, expect, ID, parseContent, parseSubmitted, parseTask } from "./outbound.ts";

/** One address whose query says what is to be done, and one code in every answer. */
export const jimengVideo: InboundVideoFormat & OutboundVideoFormat = {
  id: ID,
  inbound,
  outbound: { build, expect, parseSubmitted, parseTask, parseContent, parseError },
};
