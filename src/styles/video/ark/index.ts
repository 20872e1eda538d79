import type { OutboundVideoFormat } from "#core/video.ts";
import { errorParser } from "#styles/upstream-error.ts";
import { VOCABULARY } from "#styles/vocabulary/ark.ts";
import { build, expect, ID, longest } from "./build.ts";
import { parseContent, parseSubmitted, parseTask } from "./parse.ts";

const parseError = errorParser(VOCABULARY);

/** Text and media in one list, in which each element has a role. */
export const arkVideos: OutboundVideoFormat = {
  id: ID,
  outbound: { build, expect, longest, parseSubmitted, parseTask, parseContent, parseError },
};
