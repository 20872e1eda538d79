import type { InboundVideoFormat, OutboundVideoFormat } from "#core/video.ts";
import { inbound } from "./inbound.ts";
import { ID, outbound } from "./outbound.ts";

/** The newer style: the model in the path, and one other path for all tasks. */
export const kling3Video: InboundVideoFormat & OutboundVideoFormat = {
  id: ID,
  inbound,
  outbound,
};
