import { bitWriter, type BitWriter } from "./bit-writer.ts";
import { macroblockWriter } from "./macroblock.ts";
import type { Box, Picture } from "./picture.ts";

/**
 * H.264 in its baseline profile, without loss: a macroblock repeats the picture
 * before, goes on with what stands beside or above it, or holds its pixels as
 * they are. Clauses are those of ITU-T H.264.
 */
interface VideoEncoder {
  /** How a player is told what follows: clauses 7.3.2.1 and 7.3.2.2. */
  readonly sequenceSet: Uint8Array;
  readonly pictureSet: Uint8Array;
  readonly level: number;
  /** The picture that all others go on from. */
  first(picture: Picture): Uint8Array;
  /** The next picture, which differs from the one before in no other place. */
  next(picture: Picture, changed: Box): Uint8Array;
}

export function videoEncoder(format: VideoFormat): VideoEncoder {
  const level = levelOf(format);
  let index = 0;

  return {
    sequenceSet: sequenceSet(format, level),
    pictureSet: pictureSet(),
    level,

    first(picture) {
      index = 0;
      const out = sliceHeader("first", index);
      const macroblocks = macroblockWriter(out, picture, "first");
      for (let at = 0; at < picture.columns * picture.rows; at++) macroblocks.write(at);
      return unit(KEY_SLICE, out.finish());
    },

    next(picture, changed) {
      index++;
      const out = sliceHeader("next", index);
      const macroblocks = macroblockWriter(out, picture, "next");
      let last = -1;
      for (const at of covered(picture, changed)) {
        out.unsigned(at - last - 1);
        macroblocks.write(at);
        last = at;
      }
      const left = picture.columns * picture.rows - 1 - last;
      if (left > 0) out.unsigned(left);
      return unit(SLICE, out.finish());
    },
  };
}

/** Width and height in pixels, even ones: the format cuts in pairs. */
interface VideoFormat {
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
}

/** The type of a unit, and how much depends on it: clause 7.4.1. */
const SLICE = 0x61;
const KEY_SLICE = 0x65;
const SEQUENCE_SET = 0x67;
const PICTURE_SET = 0x68;

const BASELINE = 66;
/** Of the baseline profile and of the main profile's common part. */
const CONSTRAINTS = 0xc0;
const FRAME_NUMBER_BITS = 8;

function sequenceSet({ width, height }: VideoFormat, level: number): Uint8Array {
  const out = bitWriter();
  const columns = Math.ceil(width / 16);
  const rows = Math.ceil(height / 16);
  out.bits(BASELINE, 8);
  out.bits(CONSTRAINTS, 8);
  out.bits(level, 8);
  out.unsigned(0);
  out.unsigned(FRAME_NUMBER_BITS - 4);
  // Pictures are shown in the order in which they come.
  out.unsigned(2);
  // One picture is kept to go on from, and no gaps.
  out.unsigned(1);
  out.bits(0, 1);
  out.unsigned(columns - 1);
  out.unsigned(rows - 1);
  // Whole frames, not fields; the flag that the profile asks for.
  out.bits(0b11, 2);
  const right = (columns * 16 - width) / 2;
  const bottom = (rows * 16 - height) / 2;
  const isCut = right > 0 || bottom > 0;
  out.bits(isCut ? 1 : 0, 1);
  if (isCut) for (const side of [0, right, 0, bottom]) out.unsigned(side);
  out.bits(0, 1);
  return unit(SEQUENCE_SET, out.finish());
}

function pictureSet(): Uint8Array {
  const out = bitWriter();
  out.unsigned(0);
  out.unsigned(0);
  // Variable length codes, one slice group, one picture to go on from, no weights.
  out.bits(0b00, 2);
  out.unsigned(0);
  out.unsigned(0);
  out.unsigned(0);
  out.bits(0, 1);
  out.bits(0, 2);
  // Three offsets of quantizers, all zero.
  for (let offset = 0; offset < 3; offset++) out.unsigned(0);
  // Slices say how edges are smoothed; nothing is constrained or redundant.
  out.bits(0b100, 3);
  return unit(PICTURE_SET, out.finish());
}

/** Clause 7.3.3, for a picture of one slice. */
function sliceHeader(kind: "first" | "next", index: number): BitWriter {
  const out = bitWriter();
  out.unsigned(0);
  out.unsigned(kind === "first" ? 7 : 5);
  out.unsigned(0);
  out.bits(index % 2 ** FRAME_NUMBER_BITS, FRAME_NUMBER_BITS);
  if (kind === "first") {
    out.unsigned(0);
    out.bits(0b00, 2);
  } else {
    // As many pictures to go on from as usual, in the usual order, kept as usual.
    out.bits(0b000, 3);
  }
  out.unsigned(0);
  // Edges stay as they are.
  out.unsigned(1);
  return out;
}

/** The macroblocks that a box touches, in their order. */
function* covered({ columns, rows }: Picture, box: Box): Generator<number> {
  const left = Math.max(0, Math.floor(box.left / 16));
  const right = Math.min(columns, Math.ceil((box.left + box.width) / 16));
  const bottom = Math.min(rows, Math.ceil((box.top + box.height) / 16));
  for (let row = Math.max(0, Math.floor(box.top / 16)); row < bottom; row++)
    for (let column = left; column < right; column++) yield row * columns + column;
}

/** A type and a payload in which nothing looks like the start of a unit: clause 7.4.1.1. */
function unit(type: number, payload: Uint8Array): Uint8Array {
  const out = Buffer.alloc(1 + payload.length + Math.ceil(payload.length / 2));
  out[0] = type;
  let length = 1;
  let zeros = 0;
  for (const byte of payload) {
    if (zeros === 2 && byte <= 3) {
      out[length++] = 3;
      zeros = 0;
    }
    out[length++] = byte;
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return new Uint8Array(out.subarray(0, length));
}

/** The lowest level whose players can take it: table A-1. */
function levelOf({ width, height, framesPerSecond }: VideoFormat): number {
  const size = Math.ceil(width / 16) * Math.ceil(height / 16);
  const found = LEVELS.find(
    ([, most, mostPerSecond]) => size <= most && size * framesPerSecond <= mostPerSecond,
  );
  return found?.[0] ?? HIGHEST_LEVEL;
}

/** Ten times the level, macroblocks in a picture, and in a second. */
const LEVELS: readonly (readonly [number, number, number])[] = [
  [21, 792, 19_800],
  [30, 1_620, 40_500],
  [31, 3_600, 108_000],
  [32, 5_120, 216_000],
  [40, 8_192, 245_760],
  [42, 8_704, 522_240],
  [50, 22_080, 589_824],
  [51, 36_864, 983_040],
  [52, 36_864, 2_073_600],
];
const HIGHEST_LEVEL = 62;
