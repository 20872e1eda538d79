import { seededRandom } from "../random.ts";
import { writeText } from "./lettering.ts";
import { fill, newPicture, type Box, type Colour, type Picture } from "./picture.ts";

/** What a made video shows: a sky of the prompt's own colours, its first words, the measures, and a sun that crosses it. */
interface Scene {
  readonly picture: Picture;
  /** Draws one frame; says where it differs from the one before. */
  draw(frame: number): Box;
}

export function newScene(script: Script): Scene {
  const { width, height, frames, prompt } = script;
  const picture = newPicture(width, height);
  const sky = skyOf(prompt, picture.rows * 16);
  fill(picture, { left: 0, top: 0, width: picture.columns * 16, height: picture.rows * 16 }, sky);
  writeText(picture, script, PAPER);

  const side = Math.max(16, even(Math.min(width, height) / 9));
  const top = Math.max(0, even(height - side * 1.5));
  let before: Box | undefined;

  return {
    picture,
    draw(frame) {
      const way = frames < 2 ? 0 : frame / (frames - 1);
      const sun = { left: even((width - side) * way), top, width: side, height: side };
      if (before !== undefined) fill(picture, before, sky);
      fill(picture, sun, () => SUN);
      const left = Math.min(before?.left ?? sun.left, sun.left);
      const right = Math.max(before?.left ?? sun.left, sun.left) + side;
      before = sun;
      return { ...sun, left, width: right - left };
    },
  };
}

interface Script {
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly prompt: string;
  /** The part below the text. */
  readonly caption: string;
}

const PAPER: Colour = { luma: 235, blue: 128, red: 128 };
const SUN: Colour = { luma: 200, blue: 44, red: 142 };

/** From dark to light, in steps that are seen as none. */
function skyOf(prompt: string, height: number): (row: number) => Colour {
  const random = seededRandom(prompt);
  const blue = random.between(112, 168);
  const red = random.between(96, 144);
  return (row) => ({ luma: 40 + Math.floor((row / height) * 80), blue, red });
}

export function even(value: number): number {
  return 2 * Math.round(value / 2);
}
