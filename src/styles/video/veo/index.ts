import type { OutboundVideoFormat } from "#core/video.ts";
import { parseError } from "#styles/upstream-error.ts";
import { build, expect, ID } from "./build.ts";
import { parseContent, parseSubmitted, parseTask } from "./parse.ts";

/** A long-running prediction: an operation, whose result may contain the video itself. */
export const veo: OutboundVideoFormat = {
  id: ID,
  outbound: { build, expect, parseSubmitted, parseTask, parseContent, parseError },
};
