import type { InboundVideoFormat } from "#core/video.ts";
import { contentTasks } from "./ark/inbound.ts";
import { jimengVideo } from "./jimeng/index.ts";
import { klingVideo } from "./kling/index.ts";
import { kling3Video } from "./kling3/index.ts";
import { minimaxVideo } from "./minimax/index.ts";
import { videoObjects } from "./openai/inbound.ts";
import { unifiedVideos } from "./unified/index.ts";
import { longPredictions } from "./veo/inbound.ts";
import { viduVideo } from "./vidu/index.ts";

const ALL: readonly InboundVideoFormat[] = [
  unifiedVideos,
  videoObjects,
  contentTasks,
  longPredictions,
  jimengVideo,
  viduVideo,
  minimaxVideo,
  klingVideo,
  kling3Video,
];

/** Client formats by id. */
export const VIDEO_FORMATS: ReadonlyMap<string, InboundVideoFormat> = new Map(
  ALL.map((each) => [each.id, each]),
);
