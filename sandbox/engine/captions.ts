import { readPng, withRows, type PngRows } from "./png-rows.ts";

/** Words in a corner of a picture: capital letters and digits. */
export interface Caption {
  readonly text: string;
  readonly corner: "upper left" | "lower right";
}

/** Writes captions into a PNG file, light on dark, as much of them as there is room for. */
export function withCaptions(png: Uint8Array, captions: readonly Caption[]): Uint8Array {
  if (captions.length === 0) return png;
  const picture = readPng(png);
  for (const caption of captions) write(caption, picture);
  return withRows(png, picture.rows);
}

function write({ text, corner }: Caption, { width, height, ...picture }: PngRows): void {
  const { sampleCount, palette, rows } = picture;
  const { dark, light } = shades(palette);
  const scale = Math.max(1, Math.floor(Math.min(width, height) / PIXELS_PER_DOT));
  const across = (text.length * LETTER_WIDTH + 1) * scale;
  const down = CAPTION_HEIGHT * scale;
  const isLower = corner === "lower right";
  const [left, top] = isLower ? [width - across, height - down] : [0, 0];
  for (let y = Math.max(0, top); y < Math.min(height, top + down); y++) {
    for (let x = Math.max(0, left); x < Math.min(width, left + across); x++) {
      const [column, row] = [x - left, y - top].map((at) => Math.floor(at / scale) - 1);
      const start = y * (width * sampleCount + 1) + 1 + x * sampleCount;
      rows.fill(isDot(text, column ?? 0, row ?? 0) ? light : dark, start, start + sampleCount);
    }
  }
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

/** Of the shorter side. */
const PIXELS_PER_DOT = 256;
/** The blank column behind each included. */
const LETTER_WIDTH = 6;
const FIRST_DOT = 16;
/** With a blank row above and below. */
const CAPTION_HEIGHT = 9;

function isDot(text: string, column: number, row: number): boolean {
  if (column < 0 || row < 0) return false;
  const dots = LETTERS[text[Math.floor(column / LETTER_WIDTH)] ?? ""]?.[row] ?? 0;
  return ((dots << (column % LETTER_WIDTH)) & FIRST_DOT) !== 0;
}

/** Five by seven dots, a number for each row. */
const LETTERS: Readonly<Record<string, readonly number[]>> = {
  A: [14, 17, 17, 31, 17, 17, 17],
  D: [30, 17, 17, 17, 17, 17, 30],
  E: [31, 16, 16, 30, 16, 16, 31],
  F: [31, 16, 16, 30, 16, 16, 16],
  G: [14, 17, 16, 23, 17, 17, 14],
  I: [14, 4, 4, 4, 4, 4, 14],
  M: [17, 27, 21, 21, 17, 17, 17],
  N: [17, 25, 21, 19, 17, 17, 17],
  O: [14, 17, 17, 17, 17, 17, 14],
  R: [30, 17, 17, 30, 20, 18, 17],
  S: [15, 16, 16, 14, 1, 1, 30],
  T: [31, 4, 4, 4, 4, 4, 4],
  0: [14, 17, 19, 21, 25, 17, 14],
  1: [4, 12, 4, 4, 4, 4, 14],
  2: [14, 17, 1, 6, 8, 16, 31],
  3: [30, 1, 1, 14, 1, 1, 30],
  4: [2, 6, 10, 18, 31, 2, 2],
  5: [31, 16, 30, 1, 1, 17, 14],
  6: [6, 8, 16, 30, 17, 17, 14],
  7: [31, 1, 2, 4, 8, 8, 8],
  8: [14, 17, 17, 14, 17, 17, 14],
  9: [14, 17, 17, 15, 1, 2, 12],
};
