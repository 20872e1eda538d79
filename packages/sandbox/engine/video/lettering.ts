import { drawLettering, layOut } from "../lettering.ts";
import { fill, type Colour, type Picture } from "./picture.ts";

/** Writes the first words and the caption below them, as large as there is room for above the sun. */
export function writeText(
  picture: Picture,
  { width, height, prompt, caption }: Caption,
  colour: Colour,
): void {
  // In few and large dots: their corners lie on even pixels, and drawing them is quick.
  const dot = 2 * Math.ceil(Math.max(width, height) / DOTS_ACROSS / 2);
  const [columns, rows] = [width, height * SHARE].map((length) => Math.floor(length / dot));
  const lettering = layOut(prompt.slice(0, MAX_CHARACTERS), caption, columns ?? 0, rows ?? 0);
  if (lettering === undefined) return;
  drawLettering(lettering, (x, y) =>
    fill(picture, { left: x * dot, top: y * dot, width: dot, height: dot }, () => colour),
  );
}

interface Caption {
  readonly width: number;
  readonly height: number;
  readonly prompt: string;
  readonly caption: string;
}

const DOTS_ACROSS = 480;
const SHARE = 0.8;
const MAX_CHARACTERS = 120;
