import { setImmediate as nextTurn } from "node:timers/promises";
import { videoEncoder } from "./video/h264.ts";
import { mp4File, type Brand } from "./video/mp4.ts";
import { even, newScene } from "./video/scene.ts";
import { silence } from "./video/silence.ts";

/** Options of a video. Sizes in pixels are made even, as the format requires. */
export interface VideoWish {
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  readonly framesPerSecond: number;
  /** Its first words are seen in the video. */
  readonly prompt: string;
  readonly hasSound: boolean;
  /** "isom" unless told. */
  readonly brand?: Brand;
}

/**
 * A video that plays, the same for the same wish. It is made frame by frame,
 * with turns for everybody else in between, one video after the other, and
 * kept while there is room.
 */
export async function makeVideo(requested: VideoWish): Promise<Uint8Array> {
  const key = JSON.stringify(requested);
  const waiting = underway.get(key);
  if (waiting !== undefined) return waiting;
  const known = made.get(key);
  if (known !== undefined) {
    made.delete(key);
    made.set(key, known);
    return known;
  }
  const making = last
    .then(() => make(requested))
    .then((video) => keep(key, video))
    .finally(() => underway.delete(key));
  underway.set(key, making);
  last = making.catch(() => undefined);
  return making;
}

/** The least recently wanted first. */
const made = new Map<string, Uint8Array>();
const underway = new Map<string, Promise<Uint8Array>>();
let last: Promise<unknown> = Promise.resolve();
let keptBytes = 0;

function keep(key: string, video: Uint8Array): Uint8Array {
  made.set(key, video);
  keptBytes += video.length;
  for (const [oldest, { length }] of made) {
    if (keptBytes <= MAX_KEPT_BYTES) break;
    made.delete(oldest);
    keptBytes -= length;
  }
  return video;
}

const MAX_KEPT_BYTES = 48 * 1_048_576;
const MAX_SECONDS = 60;
const MAX_SIDE = 4_608;
const TURN_MS = 10;

async function make(requested: VideoWish): Promise<Uint8Array> {
  const width = even(clamp(requested.width, 16, MAX_SIDE));
  const height = even(clamp(requested.height, 16, MAX_SIDE));
  const framesPerSecond = clamp(Math.round(requested.framesPerSecond), 1, 60);
  const seconds = clamp(requested.seconds, 1 / framesPerSecond, MAX_SECONDS);
  const count = Math.max(1, Math.round(seconds * framesPerSecond));
  const caption = `${width}x${height} ${Number(seconds.toFixed(2))}s`;
  const scene = newScene({ width, height, frames: count, prompt: requested.prompt, caption });
  const encoder = videoEncoder({ width, height, framesPerSecond });
  // Painting and writing the whole first picture are the two long steps.
  await nextTurn();

  const frames: Uint8Array[] = [];
  let turnEndsAt = performance.now() + TURN_MS;
  while (frames.length < count) {
    const changed = scene.draw(frames.length);
    frames.push(
      frames.length === 0 ? encoder.first(scene.picture) : encoder.next(scene.picture, changed),
    );
    if (performance.now() < turnEndsAt) continue;
    await nextTurn();
    turnEndsAt = performance.now() + TURN_MS;
  }

  const { level, sequenceSet, pictureSet } = encoder;
  const sound = requested.hasSound ? silence(count / framesPerSecond) : undefined;
  return mp4File(
    { width, height, framesPerSecond, level, sequenceSet, pictureSet, frames },
    sound,
    requested.brand ?? "isom",
  );
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
