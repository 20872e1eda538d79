import { GLYPH_HEIGHT, GLYPH_WIDTH, hasDot } from "./bitmap-font.ts";
import { readPng, withRows, type PngRows } from "./png-rows.ts";

/** Words in a corner of a picture. */
interface Caption {
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
const LETTER_WIDTH = GLYPH_WIDTH + 1;
/** With a blank row above and below. */
const CAPTION_HEIGHT = GLYPH_HEIGHT + 2;

function isDot(text: string, column: number, row: number): boolean {
  const letter = text[Math.floor(column / LETTER_WIDTH)];
  return (
    letter !== undefined &&
    row >= 0 &&
    row < GLYPH_HEIGHT &&
    hasDot(letter, column % LETTER_WIDTH, row)
  );
}
