import type { InboundVideoFormat } from "#core/video.ts";
import { contentTasks } from "./ark/inbound.ts";
import { videoObjects } from "./openai/inbound.ts";
import { unifiedVideos } from "./unified/index.ts";
import { longPredictions } from "./veo/inbound.ts";

const ALL: readonly InboundVideoFormat[] = [
  unifiedVideos,
  videoObjects,
  contentTasks,
  longPredictions,
];

/** What callers speak, by its id. */
export const VIDEO_FORMATS: ReadonlyMap<string, InboundVideoFormat> = new Map(
  ALL.map((each) => [each.id, each]),
);
