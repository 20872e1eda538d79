import { crc32, deflateSync, inflateSync } from "node:zlib";

/**
 * Writes "AI GENERATED" into the lower right corner of a PNG file such as
 * `paint` makes: eight bits a sample, and rows that are not filtered.
 */
export function watermark(png: Uint8Array): Uint8Array {
  const file = Buffer.from(png);
  const chunks = chunksOf(file);
  const head = dataOf(chunks, "IHDR");
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const sampleCount = SAMPLES[head.readUInt8(9)] ?? 1;
  const rows = inflateSync(dataOf(chunks, "IDAT"));
  const { dark, light } = shades(dataOf(chunks, "PLTE"));

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

  const wholeOf = (isWanted: (name: string) => boolean) =>
    chunks.filter(({ name }) => isWanted(name)).map(({ whole }) => whole);
  return Buffer.concat([
    file.subarray(0, 8),
    ...wholeOf((name) => name !== "IDAT" && name !== "IEND"),
    imageData(rows),
    ...wholeOf((name) => name === "IEND"),
  ]);
}

/** By the kind of colour: grey, true colour, palette, grey and true colour with alpha. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

interface Chunk {
  readonly name: string;
  readonly data: Buffer;
  readonly whole: Buffer;
}

function chunksOf(file: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 8; at + 12 <= file.length;) {
    const end = at + 12 + file.readUInt32BE(at);
    const name = file.toString("latin1", at + 4, at + 8);
    chunks.push({ name, data: file.subarray(at + 8, end - 4), whole: file.subarray(at, end) });
    at = end;
  }
  return chunks;
}

function dataOf(chunks: readonly Chunk[], wanted: string): Buffer {
  return Buffer.concat(chunks.filter(({ name }) => name === wanted).map(({ data }) => data));
}

/** The darkest and the lightest entry of a palette; black and white where there is none. */
function shades(palette: Buffer): { readonly dark: number; readonly light: number } {
  if (palette.length === 0) return { dark: 0, light: 255 };
  const entries = Array.from({ length: palette.length / 3 }, (_, index) => ({
    index,
    light: palette.subarray(index * 3, index * 3 + 3).reduce((sum, part) => sum + part, 0),
  })).toSorted((one, other) => one.light - other.light);
  return { dark: entries.at(0)?.index ?? 0, light: entries.at(-1)?.index ?? 0 };
}

function imageData(rows: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from("IDAT"), deflateSync(rows, { level: 1 })]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(body.length - 4, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
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
