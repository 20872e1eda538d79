import { crc32, deflateSync, inflateSync } from "node:zlib";

/** A PNG file of eight bits a sample, taken apart. */
export interface PngRows {
  readonly width: number;
  readonly height: number;
  /** Of a pixel. */
  readonly sampleCount: number;
  /** Red, green and blue of each entry; empty where the pixels are colours themselves. */
  readonly palette: Uint8Array;
  /** One row after the other, each behind a byte that says that it is not filtered. */
  readonly rows: Uint8Array;
}

export function readPng(png: Uint8Array): PngRows {
  const chunks = chunksOf(Buffer.from(png));
  const head = dataOf(chunks, "IHDR");
  const width = head.readUInt32BE(0);
  const height = head.readUInt32BE(4);
  const sampleCount = SAMPLES[head.readUInt8(9)];
  if (head.readUInt8(8) !== 8 || sampleCount === undefined)
    throw new TypeError("The PNG file has other than eight bits a sample.");
  const rows = inflateSync(dataOf(chunks, "IDAT"));
  unfilter(rows, width * sampleCount + 1, sampleCount);
  return { width, height, sampleCount, palette: dataOf(chunks, "PLTE"), rows };
}

/** The same file with other pixels. */
export function withRows(png: Uint8Array, rows: Uint8Array): Uint8Array {
  const file = Buffer.from(png);
  const body = Buffer.concat([Buffer.from("IDAT"), deflateSync(rows, { level: 1 })]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(body.length - 4, 0);
  frame.writeUInt32BE(crc32(body), 4);
  const data = Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  const others = chunksOf(file).filter(({ name }) => name !== "IDAT");
  const whole = others.map((each) => (each.name === "IEND" ? [data, each.whole] : [each.whole]));
  return Buffer.concat([file.subarray(0, 8), ...whole.flat()]);
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

/** Each row is a difference to what is left of it, above it, or both; its first byte says to which. */
function unfilter(rows: Uint8Array, rowBytes: number, sampleCount: number): void {
  for (let start = 0; start < rows.length; start += rowBytes) {
    const filter = rows[start];
    rows[start] = 0;
    if (filter === 0) continue;
    for (let at = start + 1; at < start + rowBytes; at++) {
      const isFirst = at - sampleCount <= start;
      const left = isFirst ? 0 : (rows[at - sampleCount] ?? 0);
      const above = rows[at - rowBytes] ?? 0;
      const corner = isFirst ? 0 : (rows[at - rowBytes - sampleCount] ?? 0);
      rows[at] = (rows[at] ?? 0) + predicted(filter, left, above, corner);
    }
  }
}

function predicted(filter: number | undefined, left: number, above: number, corner: number) {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  const distances = [left, above, corner].map((each) => Math.abs(left + above - corner - each));
  const [toLeft = 0, toAbove = 0, toCorner = 0] = distances;
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}
