import type { OutboundVideoFormat } from "#core/video.ts";
import { errorParser } from "#styles/upstream-error.ts";
import { VOCABULARY } from "#styles/vocabulary/dashscope.ts";
import { build, expect, ID, longest } from "./build.ts";
import { parseContent, parseSubmitted, parseTask } from "./parse.ts";

const parseError = errorParser(VOCABULARY);

/** Input and parameters are separate; the task has the vendor's common format. */
export const wan: OutboundVideoFormat = {
  id: ID,
  outbound: { build, expect, longest, parseSubmitted, parseTask, parseContent, parseError },
};
