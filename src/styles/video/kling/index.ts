import type { InboundVideoFormat, OutboundVideoFormat } from "#core/video.ts";
import { parseError } from "./failure.ts";
import { inbound } from "./inbound.ts";
import {
  build,
  expect,
  ID,
  longest,
  parseContent,
  parseFound,
  parseSubmitted,
  parseTask,
} from "./outbound.ts";

/** The first style: one path per scenario, and the model in the body. */
export const klingVideo: InboundVideoFormat & OutboundVideoFormat = {
  id: ID,
  inbound,
  outbound: {
    build,
    expect,
    longest,
    parseSubmitted,
    parseTask,
    parseContent,
    parseError,
    parseFound,
  },
};
