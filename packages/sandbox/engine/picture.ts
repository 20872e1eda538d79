import { crc32, deflateSync } from "node:zlib";
import { drawLettering, layOut } from "./lettering.ts";
import { seededRandom } from "./random.ts";

/**
 * A PNG file of the wanted measures in pixels: the prompt and the measures on
 * bands of colour, which may be see-through. The same for the same words.
 */
export function paint(
  width: number,
  height: number,
  prompt: string,
  background: "opaque" | "transparent" = "opaque",
): Uint8Array {
  const random = seededRandom(prompt);
  const bands = Array.from({ length: COLOURS * 3 }, () => random.between(0, 255));
  const rows = stripes(width, height, random.between(1, 7), random.between(8, 64));
  write(rows, width, height, prompt);

  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([BITS_PER_PIXEL, INDEXED], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", head),
    chunk("PLTE", Buffer.from([...bands, ...PAPER_COLOUR, ...INK_COLOUR])),
    ...(background === "opaque" ? [] : [chunk("tRNS", Buffer.alloc(COLOURS))]),
    chunk("IDAT", deflateSync(rows, { level: 1 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const COLOURS = 16;
const PAPER = COLOURS;
const INK = COLOURS + 1;
const PAPER_COLOUR = [255, 255, 255];
const INK_COLOUR = [16, 16, 16];
const BITS_PER_PIXEL = 8;
const INDEXED = 3;
const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
/** What is longer is not read on a picture, and would be costly to lay out. */
const MAX_CHARACTERS = 2_000;

/** The first byte of a row says that it is not filtered, which zero does. */
const rowAt = (y: number, width: number) => y * (width + 1) + 1;

/** Each row is the same pattern, moved on. */
function stripes(width: number, height: number, slope: number, band: number): Uint8Array {
  const rows = Buffer.alloc((width + 1) * height);
  const period = band * COLOURS;
  const pattern = Uint8Array.from({ length: width + period }, (_, x) => {
    return Math.floor(x / band) % COLOURS;
  });
  for (let y = 0; y < height; y++) {
    const shift = Math.floor((y * slope) / 4) % period;
    rows.set(pattern.subarray(shift, shift + width), rowAt(y, width));
  }
  return rows;
}

function write(rows: Uint8Array, width: number, height: number, prompt: string): void {
  const text = prompt.slice(0, MAX_CHARACTERS);
  const lettering = layOut(text, `${width}x${height}`, width, height);
  if (lettering === undefined) return;
  for (let y = lettering.top; y < lettering.top + lettering.height; y++) {
    const start = rowAt(y, width) + lettering.left;
    rows.fill(PAPER, start, start + lettering.width);
  }
  drawLettering(lettering, (x, y) => {
    rows[rowAt(y, width) + x] = INK;
  });
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
