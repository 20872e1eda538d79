import { bitWriter, type BitWriter } from "./bit-writer.ts";
import { readPng, type PngRows } from "./png-rows.ts";

/**
 * The picture of a PNG file as a baseline JPEG file, in the plainest way there
 * is: codes of one length, and the coarser a step, the finer the detail.
 */
export function toJpeg(png: Uint8Array): Uint8Array {
  const picture = readPng(png);
  const { width, height } = picture;
  const colours = coloursOf(picture);
  const out = bitWriter();
  const before = COMPONENTS.map(() => 0);
  const block = new Float64Array(64);
  const levels = new Int16Array(64);
  for (let y = 0; y < height; y += 8) {
    for (let x = 0; x < width; x += 8) {
      for (const [index, weights] of COMPONENTS.entries()) {
        cut(colours, { x, y, width, height }, weights, block);
        levelsOf(block, levels);
        writeBlock(levels, before[index] ?? 0, out);
        before[index] = levels[0] ?? 0;
      }
    }
  }
  return Buffer.concat([headOf(width, height), out.end(), Buffer.from([0xff, 0xd9])]);
}

/** How much of red, green and blue is in the brightness, and in the two differences of colour. */
const COMPONENTS: readonly Weights[] = [
  { red: 0.299, green: 0.587, blue: 0.114, shift: -128 },
  { red: -0.168736, green: -0.331264, blue: 0.5, shift: 0 },
  { red: 0.5, green: -0.418688, blue: -0.081312, shift: 0 },
];

interface Weights {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  readonly shift: number;
}

/** Three bytes a pixel, and no row has anything before it. */
function coloursOf({ width, height, sampleCount, palette, rows }: PngRows): Uint8Array {
  const colours = new Uint8Array(width * height * 3);
  const isGrey = palette.length === 0 && sampleCount < 3;
  const source = palette.length === 0 ? rows : palette;
  for (let at = 0; at < width * height; at++) {
    const start = at * sampleCount + Math.floor(at / width) + 1;
    const from = palette.length === 0 ? start : (rows[start] ?? 0) * 3;
    for (let part = 0; part < 3; part++) {
      colours[at * 3 + part] = source[isGrey ? from : from + part] ?? 0;
    }
  }
  return colours;
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Eight by eight values; beyond the edges those at the edges. */
function cut(
  colours: Uint8Array,
  { x, y, width, height }: Place,
  { red, green, blue, shift }: Weights,
  block: Float64Array,
): void {
  for (let at = 0; at < 64; at++) {
    const column = Math.min(width - 1, x + (at & 7));
    const row = Math.min(height - 1, y + (at >> 3));
    const from = (row * width + column) * 3;
    block[at] =
      red * (colours[from] ?? 0) +
      green * (colours[from + 1] ?? 0) +
      blue * (colours[from + 2] ?? 0) +
      shift;
  }
}

/** The cosines that make up the block, in zigzag order. */
function levelsOf(block: Float64Array, levels: Int16Array): void {
  levels.fill(0);
  if (isFlat(block)) {
    levels[0] = Math.round(((block[0] ?? 0) * 8) / (STEPS[0] ?? 1));
    return;
  }
  transform(block, HALF_WAY);
  transform(HALF_WAY, block);
  for (let index = 0; index < 64; index++) {
    levels[index] = Math.round((block[ZIGZAG[index] ?? 0] ?? 0) / (STEPS[index] ?? 1));
  }
}

function isFlat(block: Float64Array): boolean {
  for (let at = 1; at < 64; at++) if (block[at] !== block[0]) return false;
  return true;
}

const HALF_WAY = new Float64Array(64);

/** One of the two directions, turned over: done twice, the block is as it lay. */
function transform(from: Float64Array, to: Float64Array): void {
  for (let row = 0; row < 8; row++) {
    for (let wave = 0; wave < 8; wave++) {
      let sum = 0;
      for (let at = 0; at < 8; at++)
        sum += (from[row * 8 + at] ?? 0) * (COSINES[wave * 8 + at] ?? 0);
      to[wave * 8 + row] = sum;
    }
  }
}

const COSINES = Float64Array.from({ length: 64 }, (_, index) => {
  const [wave, at] = [index >> 3, index & 7];
  return (wave === 0 ? Math.SQRT1_2 : 1) * 0.5 * Math.cos(((2 * at + 1) * wave * Math.PI) / 16);
});

/** Diagonal by diagonal, each in the other direction than the one before. */
const ZIGZAG: readonly number[] = Array.from({ length: 64 }, (_, at) => at).toSorted(
  (one, other) => {
    const [diagonal, next] = [one, other].map((at) => (at >> 3) + (at & 7));
    if (diagonal !== next) return (diagonal ?? 0) - (next ?? 0);
    return (diagonal ?? 0) % 2 === 0 ? other - one : one - other;
  },
);
const STEPS = ZIGZAG.map((at) => 4 + 6 * ((at >> 3) + (at & 7)));

const DC_BITS = 4;
const AC_BITS = 8;
const MAX_SIZE = 10;

/** The difference of the first value to that of the block before, then the others with the zeros between. */
function writeBlock(levels: Int16Array, before: number, out: BitWriter): void {
  const difference = (levels[0] ?? 0) - before;
  out.write(sizeOf(difference), DC_BITS);
  writeValue(difference, out);

  let zeros = 0;
  for (let index = 1; index < 64; index++) {
    const level = levels[index] ?? 0;
    if (level === 0) {
      zeros++;
      continue;
    }
    for (; zeros > 15; zeros -= 16) out.write(SIXTEEN_ZEROS, AC_BITS);
    out.write(2 + zeros * MAX_SIZE + sizeOf(level) - 1, AC_BITS);
    writeValue(level, out);
    zeros = 0;
  }
  if (zeros > 0) out.write(END, AC_BITS);
}

/** Codes are the places of the symbols in their table. */
const END = 0;
const SIXTEEN_ZEROS = 1;
const AC_SYMBOLS: readonly number[] = [
  0x00,
  0xf0,
  ...Array.from({ length: 16 * MAX_SIZE }, (_, at) => {
    return (Math.floor(at / MAX_SIZE) << 4) | ((at % MAX_SIZE) + 1);
  }),
];
const DC_SYMBOLS: readonly number[] = Array.from({ length: 12 }, (_, size) => size);

function sizeOf(value: number): number {
  return 32 - Math.clz32(Math.abs(value));
}

function writeValue(value: number, out: BitWriter): void {
  const size = sizeOf(value);
  if (size > 0) out.write((value > 0 ? value : value - 1) & ((1 << size) - 1), size);
}

function headOf(width: number, height: number): Buffer {
  const measures = [height >> 8, height & 255, width >> 8, width & 255];
  const components = COMPONENTS.flatMap((_, index) => [index + 1, 0x11, 0]);
  const scans = COMPONENTS.flatMap((_, index) => [index + 1, 0]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, [...Buffer.from("JFIF\0"), 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    segment(0xdb, [0, ...STEPS]),
    segment(0xc0, [8, ...measures, COMPONENTS.length, ...components]),
    segment(0xc4, [0x00, ...lengths(DC_BITS, DC_SYMBOLS), ...DC_SYMBOLS]),
    segment(0xc4, [0x10, ...lengths(AC_BITS, AC_SYMBOLS), ...AC_SYMBOLS]),
    segment(0xda, [COMPONENTS.length, ...scans, 0, 63, 0]),
  ]);
}

function segment(marker: number, data: readonly number[]): Buffer {
  const length = data.length + 2;
  return Buffer.from([0xff, marker, length >> 8, length & 255, ...data]);
}

/** How many codes there are of each length from 1 to 16. */
function lengths(bits: number, symbols: readonly number[]): readonly number[] {
  return Array.from({ length: 16 }, (_, index) => (index + 1 === bits ? symbols.length : 0));
}
