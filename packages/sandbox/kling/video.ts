import { makeVideo } from "../engine/video.ts";
import { withoutMagicWords } from "../faults/magic-words.ts";
import { sizeOf, type KlingOrder } from "./order.ts";

/** The video of an order, which lasts one frame longer than it was ordered. */
export function paintedVideo(order: KlingOrder) {
  const seconds = order.seconds + 1 / FRAMES_PER_SECOND;
  return {
    seconds,
    make: () =>
      makeVideo({
        ...sizeOf(order),
        seconds,
        framesPerSecond: FRAMES_PER_SECOND,
        prompt: withoutMagicWords(order.prompt),
        hasSound: order.hasSound,
      }),
  };
}

const FRAMES_PER_SECOND = 24;
