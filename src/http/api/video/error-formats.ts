import type { GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { contentTasks } from "#styles/video/ark/inbound.ts";
import { jimengVideo } from "#styles/video/jimeng/index.ts";
import { klingVideo } from "#styles/video/kling/index.ts";
import { minimaxVideo } from "#styles/video/minimax/index.ts";
import { viduVideo } from "#styles/video/vidu/index.ts";
import { ARK_BASE } from "#http/api/ark.ts";

/** The error format below the prefix of each protocol, also for unknown paths. */
export const ERROR_FORMAT_BY_PREFIX: readonly (readonly [
  prefix: string,
  render: (error: GatewayError) => JsonObject,
])[] = [
  ["/videoa", contentTasks.inbound.buildError],
  [ARK_BASE, contentTasks.inbound.buildError],
  ["/videob", jimengVideo.inbound.buildError],
  ["/videoc", viduVideo.inbound.buildError],
  ["/videod", minimaxVideo.inbound.buildError],
  ["/videoe", klingVideo.inbound.buildError],
];
