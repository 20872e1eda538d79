import type { InboundVideoFormat, OutboundVideoFormat } from "#core/video.ts";
import { inbound } from "./inbound.ts";
import { ID, outbound } from "./outbound.ts";

/** The first style: one path per scenario, and the model in the body. */
export const klingVideo: InboundVideoFormat & OutboundVideoFormat = {
  id: ID,
  inbound,
  outbound,
};
