import type { ResultFiles } from "@sluice/sandbox/engine/result-files.ts";
import { makeVideo } from "@sluice/sandbox/engine/video.ts";
import { withoutMagicWords } from "@sluice/sandbox/faults/magic-words.ts";
import { isJsonObject, type JsonObject } from "@sluice/sandbox/json.ts";
import type { VendorOptions, VendorRequest } from "@sluice/sandbox/vendor.ts";
import { extended } from "../extended.ts";
import { invalidParameter, memberOf, modelNotFound, wrongAddress } from "../native.ts";
import type { DashscopeWish } from "../tasks.ts";
import { readWanInput, type WanInput } from "./input.ts";
import { findWan, type WanModel } from "./models.ts";
import { readWanParameters, type WanParameters } from "./parameters.ts";

/** Paths of video requests, and their models. */
export const VIDEO_PATHS: ReadonlyMap<string, string> = new Map(
  ["video-generation", "image2video"].map((group) => [
    `/api/v1/services/aigc/${group}/video-synthesis`,
    `aigc:${group}:video-synthesis`,
  ]),
);

/** Options of video tasks. Throws `NativeError` if the vendor refuses the request. */
export function wanVideos(files: ResultFiles, { tasks: settings }: VendorOptions) {
  return {
    requested(request: VendorRequest, service: string): DashscopeWish {
      const { body, headers } = request;
      const model = readModel(request, service);
      const takesOss = headers["x-dashscope-ossresourceresolve"] === "enable";
      const input = readWanInput(memberOf(body, "input"), model, takesOss);
      const shot = readWanParameters(memberOf(body, "parameters"), model, input.picture);
      return {
        model: model.id,
        service,
        prompt: input.prompt,
        isCounted: false,
        outcome({ id, origin, endsAt }) {
          const prompt = withoutMagicWords(input.prompt);
          const { width, height, seconds } = shot;
          const hasSound = shot.hasSound || input.hasOwnSound;
          const film = { width, height, seconds, framesPerSecond: 24, prompt, hasSound };
          const video = files.publish({
            origin,
            name: `${id}/video.mp4`,
            publishedAt: endsAt,
            validSeconds: settings.linkSeconds ?? LINK_SECONDS,
            contentType: "video/mp4",
            make: () => makeVideo(film),
          });
          return {
            output: {
              orig_prompt: prompt,
              ...(shot.isExtended ? { actual_prompt: extended(prompt) } : {}),
              video_url: video,
            },
            usage: usageOf(model, shot, input),
          };
        },
      };
    },
  };
}

const LINK_SECONDS = 86_400;

function readModel({ body }: VendorRequest, service: string): WanModel {
  if (!isJsonObject(body)) throw invalidParameter("A POST with a JSON object is required.");
  const id = memberOf(body, "model");
  if (typeof id !== "string" || id === "") throw invalidParameter("model is required.");
  const model = findWan(id);
  if (model === undefined) throw modelNotFound();
  const isBetweenFrames = service.startsWith("aigc:image2video:");
  if (isBetweenFrames !== (model.from === "frames")) throw wrongAddress();
  return model;
}

/** Each generation counts in words of its own. */
function usageOf(
  { generation, framedBy }: WanModel,
  { seconds, lines, width, height }: WanParameters,
  { videos }: WanInput,
): JsonObject {
  if (generation === "2.1" || generation === "2.2")
    return { video_count: 1, video_duration: seconds, video_ratio: "standard" };
  const given = videos * USUAL_INPUT_SECONDS;
  return {
    video_count: 1,
    duration: given + seconds,
    output_video_duration: seconds,
    input_video_duration: given,
    SR: lines,
    ...(framedBy === "size" ? { size: `${width}*${height}` } : {}),
  };
}

/** No link is followed, so how long the videos behind them are is not known. */
const USUAL_INPUT_SECONDS = 5;
