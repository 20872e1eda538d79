import type { Task } from "#core/task.ts";
import type { MadeVideo } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";

/** Known facts of a video, requested or made, for response formats that include them. */
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

/** Clients expect whole seconds. */
export function unixSeconds(ms: number): number {
  return Math.floor(ms / 1_000);
}

/** The latest change that the client can see. */
export function changedAt({ createdAt, startedAt, finishedAt }: Task): number {
  return finishedAt ?? startedAt ?? createdAt;
}
