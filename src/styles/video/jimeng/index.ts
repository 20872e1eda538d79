import type { OutboundVideoFormat } from "#core/video.ts";
import { parseError } from "./failure.ts";
import { build, expect, ID, parseSubmitted, parseTask } from "./outbound.ts";

/** One address whose query says what is to be done, and one code in every answer. */
export const jimengVideo: OutboundVideoFormat = {
  id: ID,
  outbound: { build, expect, parseSubmitted, parseTask, parseError },
};
