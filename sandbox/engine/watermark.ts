import { readPng, withRows } from "./png-rows.ts";

/** Writes "AI GENERATED" into the lower right corner of a PNG file. */
export function watermark(png: Uint8Array): Uint8Array {
  const { width, height, sampleCount, palette, rows } = readPng(png);
  const { dark, light } = shades(palette);
  const scale = Math.max(1, Math.floor(Math.min(width, height) / PIXELS_PER_DOT));
  const left = width - CAPTION_WIDTH * scale;
  const top = height - CAPTION_HEIGHT * scale;
  for (let y = Math.max(0, top); y < height; y++) {
    for (let x = Math.max(0, left); x < width; x++) {
      const isInk = isDot(Math.floor((x - left) / scale) - 1, Math.floor((y - top) / scale) - 1);
      const start = y * (width * sampleCount + 1) + 1 + x * sampleCount;
      rows.fill(isInk ? light : dark, start, start + sampleCount);
    }
  }
  return withRows(png, rows);
}

/** The darkest and the lightest entry of a palette; black and white where there is none. */
function shades(palette: Uint8Array): { readonly dark: number; readonly light: number } {
  if (palette.length === 0) return { dark: 0, light: 255 };
  const entries = Array.from({ length: palette.length / 3 }, (_, index) => ({
    index,
    light: palette.subarray(index * 3, index * 3 + 3).reduce((sum, part) => sum + part, 0),
  })).toSorted((one, other) => one.light - other.light);
  return { dark: entries.at(0)?.index ?? 0, light: entries.at(-1)?.index ?? 0 };
}

/** Letters of five by seven dots, a number for each row. */
const LETTERS: Readonly<Record<string, readonly number[]>> = {
  A: [14, 17, 17, 31, 17, 17, 17],
  D: [30, 17, 17, 17, 17, 17, 30],
  E: [31, 16, 16, 30, 16, 16, 31],
  G: [14, 17, 16, 23, 17, 17, 14],
  I: [14, 4, 4, 4, 4, 4, 14],
  N: [17, 25, 21, 19, 17, 17, 17],
  R: [30, 17, 17, 30, 20, 18, 17],
  T: [31, 4, 4, 4, 4, 4, 4],
};

const CAPTION = "AI GENERATED";
/** The blank column behind each included. */
const LETTER_WIDTH = 6;
const FIRST_DOT = 16;
const CAPTION_WIDTH = CAPTION.length * LETTER_WIDTH + 1;
const CAPTION_HEIGHT = 9;
/** Of the shorter side. */
const PIXELS_PER_DOT = 256;

function isDot(x: number, y: number): boolean {
  if (x < 0 || y < 0) return false;
  const row = LETTERS[CAPTION[Math.floor(x / LETTER_WIDTH)] ?? ""]?.[y] ?? 0;
  return ((row << (x % LETTER_WIDTH)) & FIRST_DOT) !== 0;
}
