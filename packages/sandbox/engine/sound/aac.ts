import { id3Tag } from "./id3.ts";

/** Silence as AAC in a stream of frames: each is one channel without a single band. */
export function silentAac(samples: number, words: string): Uint8Array {
  const frames = Math.ceil(samples / FRAME_SAMPLES);
  return Buffer.concat([id3Tag(words), ...Array<Uint8Array>(frames).fill(FRAME)]);
}

const FRAME_SAMPLES = 1_024;
/** Low complexity, 24 kHz, one channel, eleven bytes; all fields of the frame but its end are zero. */
const FRAME = Buffer.from([0xff, 0xf1, 0x58, 0x40, 0x01, 0x7f, 0xfc, 0, 0, 0, 7]);

/** Counts the frames from a place on. */
export function aacSeconds(file: Buffer, from: number): number | undefined {
  let seconds = 0;
  for (let at = from; at + 7 <= file.length;) {
    const isSync = (file.readUInt16BE(at) & 0xfff6) === 0xfff0;
    const rateHz = RATES_HZ[(file.readUInt8(at + 2) >> 2) & 15];
    const bytes = (file.readUIntBE(at + 3, 3) >> 5) & 0x1fff;
    if (!isSync || rateHz === undefined || bytes < 7) break;
    seconds += FRAME_SAMPLES / rateHz;
    at += bytes;
  }
  return seconds === 0 ? undefined : seconds;
}

const RATES_HZ = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
];
