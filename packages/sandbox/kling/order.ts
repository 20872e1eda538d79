import type { Task } from "../engine/tasks.ts";

/** A video as it was ordered, in either style. */
export interface KlingOrder {
  readonly style: "v1" | "3.0";
  /** Its name in the path: "text2video" or "text-to-video". */
  readonly product: string;
  readonly model: string;
  readonly prompt: string;
  readonly resolution: "720p" | "1080p" | "4k";
  readonly aspect: Aspect;
  readonly seconds: number;
  readonly hasSound: boolean;
  readonly hasWatermark: boolean;
  /** Whether it was given more than words and the frames it begins and ends with. */
  readonly hasReferences: boolean;
  readonly callbackUrl: string | undefined;
  readonly externalId: string | undefined;
}

export type KlingTask = Task<KlingOrder>;

export const ASPECTS = ["16:9", "9:16", "1:1"] as const;
export type Aspect = (typeof ASPECTS)[number];

/** Cost of a video, in units of a resource pack. */
export function unitsOf(order: KlingOrder): number {
  const [usual, high] = rateOf(order);
  const rate = order.resolution === "4k" ? 3 : order.resolution === "720p" ? usual : high;
  return Math.round(rate * order.seconds * 100) / 100;
}

/** A second in 720p, and in 1080p. */
function rateOf({ model, hasSound, hasReferences }: KlingOrder): readonly [number, number] {
  switch (model.replace(/^kling-(?:video-)?v?/, "").replace("3.0", "3")) {
    case "3-turbo":
      return [0.8, 1];
    case "3":
      return hasSound ? [0.9, 1.2] : [0.6, 0.8];
    case "3-omni":
      return hasReferences ? [0.8, 1] : [0.6, 0.8];
    case "o1":
      return [0.6, 0.8];
    case "2.6":
    case "2-6":
      return [0.3, 0.5];
    default:
      return [0.4, 0.7];
  }
}

/** A unit in dollars. */
export const UNIT_USD = 0.14;

const LYING = { "720p": [1280, 720], "1080p": [1920, 1080], "4k": [3840, 2160] } as const;
const SQUARES = { "720p": 960, "1080p": 1440, "4k": 2880 } as const;

export function sizeOf({ resolution, aspect }: Pick<KlingOrder, "resolution" | "aspect">) {
  const [long, short] = LYING[resolution];
  const square = SQUARES[resolution];
  if (aspect === "1:1") return { width: square, height: square };
  return aspect === "16:9" ? { width: long, height: short } : { width: short, height: long };
}
