import type { OutboundVideoFormat } from "#core/video.ts";
import { parseError } from "#styles/upstream-error.ts";
import { VOCABULARY } from "#styles/vocabulary/ark.ts";
import { build, expect, ID, longest } from "./build.ts";
import { parseContent, parseSubmitted, parseTask } from "./parse.ts";

/** Words and media in one list, of which each element says what it is for. */
export const arkVideos: OutboundVideoFormat = {
  id: ID,
  outbound: {
    build,
    expect,
    longest,
    parseSubmitted,
    parseTask,
    parseContent,
    parseError: (status, body) => parseError(status, body, VOCABULARY),
  },
};
