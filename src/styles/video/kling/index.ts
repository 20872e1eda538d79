import type { OutboundVideoFormat } from "#core/video.ts";
import { parseError } from "./failure.ts";
import { build, expect, ID, parseFound, parseSubmitted, parseTask } from "./outbound.ts";

/** The first style: one address for each scenario, and the model in the body. */
export const klingVideo: OutboundVideoFormat = {
  id: ID,
  outbound: { build, expect, parseSubmitted, parseTask, parseError, parseFound },
};
