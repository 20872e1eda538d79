import { encodePicture } from "@sluice/sandbox/engine/encode-picture.ts";
import { paint } from "@sluice/sandbox/engine/picture.ts";
import { makeVideo } from "@sluice/sandbox/engine/video.ts";
import { withoutMagicWords } from "@sluice/sandbox/faults/magic-words.ts";
import type { SoraOrder } from "./request.ts";

export const VARIANTS = ["video", "thumbnail", "spritesheet"] as const;
type Variant = (typeof VARIANTS)[number];

export const TYPES: Readonly<Record<Variant, string>> = {
  video: "video/mp4",
  thumbnail: "image/webp",
  spritesheet: "image/jpeg",
};

/** What there is to download of a video: itself, its first picture, and a sheet of its pictures. */
export async function contentOf(order: SoraOrder, variant: Variant): Promise<Uint8Array> {
  const [width = 1, height = 1] = order.size.split("x").map(Number);
  const prompt = withoutMagicWords(order.prompt);
  const { seconds } = order;
  switch (variant) {
    case "video":
      return makeVideo({ width, height, seconds, framesPerSecond: 24, prompt, hasSound: true });
    case "thumbnail":
      return encodePicture(paint(width, height, prompt), "webp", 80);
    case "spritesheet":
      return encodePicture(paint(width, height, prompt), "jpeg", 80);
  }
}
