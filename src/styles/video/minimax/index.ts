import type { InboundVideoFormat, OutboundVideoFormat } from "#core/video.ts";
import { parseError } from "./failure.ts";
import { inbound } from "./inbound.ts";
import * as older from "./older.ts";
import { build, expect, ID, parseContent, parseSubmitted, parseTask } from "./outbound.ts";

/** Text, images, videos and audio in one list. */
export const minimaxVideo: InboundVideoFormat & OutboundVideoFormat = {
  id: ID,
  inbound,
  outbound: { build, expect, parseSubmitted, parseTask, parseContent, parseError },
};

/** The older API: text, with frames or a face. */
export const olderMinimaxVideo: OutboundVideoFormat = {
  id: older.ID,
  outbound: {
    build: older.build,
    expect,
    parseSubmitted,
    parseTask: older.parseTask,
    parseContent: older.parseContent,
    parseError,
  },
};
