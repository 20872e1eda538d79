import type { OutboundVideoFormat } from "#core/video.ts";
import { parseError } from "#styles/upstream-error.ts";
import { build, expect, ID } from "./build.ts";
import { parseContent, parseSubmitted, parseTask } from "./parse.ts";

/** A prediction that runs long: an operation, in which the video may be itself. */
export const veo: OutboundVideoFormat = {
  id: ID,
  outbound: { build, expect, parseSubmitted, parseTask, parseContent, parseError },
};
