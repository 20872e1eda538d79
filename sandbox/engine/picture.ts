import { crc32, deflateSync } from "node:zlib";
import { seededRandom } from "./random.ts";

/** A PNG file of the wanted measures in pixels: bands of colour, the same for the same seed. */
export function paint(width: number, height: number, seed: string): Uint8Array {
  const random = seededRandom(seed);
  const palette = Buffer.from(Array.from({ length: COLOURS * 3 }, () => random.between(0, 255)));
  const slope = random.between(1, 7);
  const band = random.between(8, 64);

  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    // The first byte of a row says that it is not filtered, which zero does.
    const start = y * (width + 1) + 1;
    for (let x = 0; x < width; x++) {
      rows[start + x] = Math.floor((x + (y * slope) / 4) / band) % COLOURS;
    }
  }

  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([BITS_PER_PIXEL, INDEXED], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", head),
    chunk("PLTE", palette),
    chunk("IDAT", deflateSync(rows, { level: 1 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const COLOURS = 16;
const BITS_PER_PIXEL = 8;
const INDEXED = 3;
const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
