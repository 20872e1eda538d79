import type { InboundVideoFormat, OutboundVideoFormat } from "#core/video.ts";
import { parseError } from "../kling/failure.ts";
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

/** The newer style: the model in the path, and one other path for all tasks. */
export const kling3Video: InboundVideoFormat & OutboundVideoFormat = {
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
