import type { OutboundVideoFormat } from "#core/video.ts";
import { parseError } from "#styles/upstream-error.ts";
import { VOCABULARY } from "#styles/vocabulary/dashscope.ts";
import { build, expect, ID, longest } from "./build.ts";
import { parseContent, parseSubmitted, parseTask } from "./parse.ts";

/** What is to be made, and how, apart from each other; a task of the vendor's common kind. */
export const wan: OutboundVideoFormat = {
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
