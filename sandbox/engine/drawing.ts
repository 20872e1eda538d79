import { paint } from "./picture.ts";
import { watermark } from "./watermark.ts";

/** A picture that is yet to be painted: what takes no room until somebody looks at it. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly prompt: string;
  /** How many pictures it was made from. */
  readonly given: number;
  readonly isMarked: boolean;
}

/** A PNG file that shows what was asked for, of how many pictures it was made, and the mark. */
export function draw({ width, height, prompt, given, isMarked }: Drawing): Uint8Array {
  const picture = paint(width, height, `${from(given)}${prompt}`);
  return isMarked ? watermark(picture) : picture;
}

function from(given: number): string {
  if (given === 0) return "";
  return given === 1 ? "From 1 image: " : `From ${given} images: `;
}
