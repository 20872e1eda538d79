import { SAMPLE_RATE_HZ } from "../tone.ts";
import { checksum } from "./checksum.ts";
import { readVorbisComment, vorbisComment } from "./vorbis-comment.ts";

/** Samples of 16 bits as a FLAC file, which may hold them as they are. */
export function flacFile(pcm: Uint8Array, words: string): Uint8Array {
  const samples = pcm.length / 2;
  const parts = [
    Buffer.from("fLaC"),
    block(STREAM_INFO, streamInfo(samples), false),
    block(COMMENT, vorbisComment(words), true),
  ];
  for (let index = 0; index * BLOCK_SAMPLES < samples; index++) {
    const start = index * BLOCK_SAMPLES * 2;
    parts.push(frame(index, Buffer.from(pcm.subarray(start, start + BLOCK_SAMPLES * 2))));
  }
  return Buffer.concat(parts);
}

/** Its length, and its metadata. */
export function readFlac(file: Buffer): { readonly seconds?: number; readonly words?: string } {
  const found: { seconds?: number; words?: string } = {};
  for (let at = 4, isLast = false; !isLast && at + 4 <= file.length;) {
    const kind = file.readUInt8(at);
    const length = file.readUIntBE(at + 1, 3);
    const body = file.subarray(at + 4, at + 4 + length);
    if ((kind & 0x7f) === STREAM_INFO && body.length >= 18) {
      const rateHz = body.readUIntBE(10, 3) >> 4;
      const samples = (body.readUInt8(13) & 15) * 2 ** 32 + body.readUInt32BE(14);
      if (rateHz > 0) found.seconds = samples / rateHz;
    }
    const words = (kind & 0x7f) === COMMENT ? readVorbisComment(body) : undefined;
    if (words !== undefined) found.words = words;
    isLast = kind >= 0x80;
    at += 4 + length;
  }
  return found;
}

const STREAM_INFO = 0;
const COMMENT = 4;
const BLOCK_SAMPLES = 4_096;

function block(kind: number, body: Uint8Array, isLast: boolean): Buffer {
  const head = Buffer.alloc(4);
  head.writeUIntBE(body.length, 1, 3);
  head.writeUInt8(kind + (isLast ? 0x80 : 0));
  return Buffer.concat([head, body]);
}

/** The sizes of frames and the digest of all samples are left open, as they may be. */
function streamInfo(samples: number): Buffer {
  const info = Buffer.alloc(34);
  info.writeUInt16BE(BLOCK_SAMPLES, 0);
  info.writeUInt16BE(BLOCK_SAMPLES, 2);
  // 20 bits of rate, 3 of channels less one, 5 of sample size less one, 36 of length.
  info.writeUIntBE(SAMPLE_RATE_HZ * 16, 10, 3);
  info.writeUInt8(15 << 4, 13);
  info.writeUInt32BE(samples, 14);
  return info;
}

/** One block of samples, the highest byte first, between two checksums. */
function frame(index: number, samples: Buffer): Buffer {
  const count = samples.length / 2;
  const isFull = count === BLOCK_SAMPLES;
  const size = Buffer.alloc(isFull ? 0 : 2);
  if (!isFull) size.writeUInt16BE(count - 1);
  const head = Buffer.concat([
    // One channel of 16 bits at 24 kHz, in blocks of one size.
    Buffer.from([0xff, 0xf8, isFull ? 0xc7 : 0x77, 0x08]),
    // Frames are numbered as characters are coded.
    Buffer.from(String.fromCodePoint(index)),
    size,
  ]);
  const VERBATIM = 2;
  const body = Buffer.concat([
    head,
    Buffer.from([checksum(head, 8, 0x07), VERBATIM]),
    Buffer.from(samples).swap16(),
  ]);
  const end = Buffer.alloc(2);
  end.writeUInt16BE(checksum(body, 16, 0x8005));
  return Buffer.concat([body, end]);
}
