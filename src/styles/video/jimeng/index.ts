import type { InboundVideoFormat, OutboundVideoFormat } from "#core/video.ts";
import { parseError } from "./failure.ts";
import { inbound } from "./inbound.ts";
import { build, expect, ID, parseContent, parseSubmitted, parseTask } from "./outbound.ts";

/** One path with the action in the query, and a code in every response. */
export const jimengVideo: InboundVideoFormat & OutboundVideoFormat = {
  id: ID,
  inbound,
  outbound: { build, expect, parseSubmitted, parseTask, parseContent, parseError },
};
