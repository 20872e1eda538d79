import type { OutboundVideoFormat } from "#core/video.ts";
import { errorParser } from "#styles/upstream-error.ts";
import { build, expect, ID } from "./build.ts";
import { parseSubmitted, parseTask, VOCABULARY } from "./parse.ts";

const parseError = errorParser(VOCABULARY);

/** A video is an object with a status; its bytes are at a path below it. */
export const openaiVideos: OutboundVideoFormat = {
  id: ID,
  outbound: { build, expect, parseSubmitted, parseTask, parseError },
};
