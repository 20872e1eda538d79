import { randomInt } from "node:crypto";
import type { ResultFiles } from "../engine/result-files.ts";
import type { Task } from "../engine/tasks.ts";
import { makeVideo } from "../engine/video.ts";
import { withoutMagicWords } from "../faults/magic-words.ts";
import type { Version } from "./error.ts";

/** A video as it was ordered, in either version. */
export interface MinimaxOrder {
  readonly version: Version;
  readonly model: string;
  readonly prompt: string;
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
  readonly resolution: string;
  readonly ratio: string;
  readonly hasSound: boolean;
  readonly images: number;
  readonly videos: number;
  readonly audios: number;
  readonly callbackUrl: string | undefined;
}

export type MinimaxTask = Task<MinimaxOrder>;

export interface Results {
  readonly files: ResultFiles;
  readonly validSeconds: number;
}

export function publishFilm(task: MinimaxTask, publishedAt: number, results: Results): string {
  return results.files.publish({
    origin: task.origin,
    name: `${task.id}/video.mp4`,
    publishedAt,
    validSeconds: results.validSeconds,
    contentType: "video/mp4",
    make: () => filmOf(task),
  });
}

export async function filmOf({ requested }: MinimaxTask): Promise<Uint8Array> {
  const { width, height, seconds, hasSound } = requested;
  const prompt = withoutMagicWords(requested.prompt);
  return makeVideo({ width, height, seconds, framesPerSecond: 24, prompt, hasSound });
}

/** Fifteen digits, as files have them, too. */
export function newTaskId(): string {
  return `4${randomInt(1_000_000, 9_999_999)}${randomInt(1_000_000, 9_999_999)}`;
}
