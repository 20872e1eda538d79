import type { Task } from "#core/task.ts";
import type { InboundVideoFormat, MadeVideo, TaskLinks } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import type { LongBase64 } from "#lib/long-base64.ts";
import { longPredictions } from "./inbound.ts";
import { writeState, type WrittenResponse } from "./write-operation.ts";

/** A result: its bytes if they could be downloaded, else its URL. */
export type CloudVideo = Pick<MadeVideo, "mediaType"> &
  ({ readonly base64: LongBase64 } | { readonly url: string });

/**
 * The same predictions in the format of the vendor's cloud: operation names contain publisher and
 * project, and responses contain the videos themselves.
 */
export function cloudPredictions(parent: string): InboundVideoFormat {
  const { inbound } = longPredictions;
  return {
    ...longPredictions,
    inbound: {
      ...inbound,
      writeSubmitted: (task) => ({ name: nameBelow(parent, task) }),
      writeTask: (task, links) => writeCloudOperation(parent, task, videosAt(links)),
    },
  };
}

export function writeCloudOperation(
  parent: string,
  task: Task,
  videos: readonly CloudVideo[],
): JsonObject {
  return writeState(nameBelow(parent, task), task, responseWith(videos));
}

export function videosAt({ videos }: Pick<TaskLinks, "videos">): readonly CloudVideo[] {
  return videos.map(({ url, mediaType }) => ({
    url,
    ...(mediaType === undefined ? {} : { mediaType }),
  }));
}

const RESPONSE = "type.googleapis.com/cloud.ai.large_models.vision.GenerateVideoResponse";

function responseWith(videos: readonly CloudVideo[]): WrittenResponse {
  return {
    made: () => ({
      "@type": RESPONSE,
      raiMediaFilteredCount: 0,
      videos: videos.map(({ mediaType = "video/mp4", ...video }) => ({
        ...("url" in video ? { gcsUri: video.url } : { bytesBase64Encoded: video.base64 }),
        mimeType: mediaType,
      })),
    }),
    filtered: (reason) => ({
      "@type": RESPONSE,
      raiMediaFilteredCount: 1,
      raiMediaFilteredReasons: [reason],
    }),
  };
}

function nameBelow(parent: string, { id, model }: Task): string {
  return `${parent}/models/${model}/operations/${id}`;
}
