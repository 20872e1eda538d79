import type { Task } from "#core/task.ts";
import type { MadeVideo } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";

/** What is known of how a video is, or will be, for answers that have a place for such things. */
export function madeFacts({ facts }: Task, made: MadeVideo | undefined): JsonObject {
  const { width, height } = made ?? {};
  return defined({
    duration: made?.seconds ?? facts.seconds,
    resolution: facts.resolution,
    ratio: facts.ratio,
    size: width === undefined || height === undefined ? facts.size : `${width}x${height}`,
    fps: facts.framesPerSecond,
    seed: facts.seed,
    generate_audio: facts.audio,
  });
}

/** Clients ask for the time in whole seconds. */
export function unixSeconds(ms: number): number {
  return Math.floor(ms / 1_000);
}

/** When something last happened to it that its caller can see. */
export function changedAt({ createdAt, startedAt, finishedAt }: Task): number {
  return finishedAt ?? startedAt ?? createdAt;
}
