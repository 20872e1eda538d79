import { SAMPLE_RATE_HZ } from "../tone.ts";
import { id3Tag } from "./id3.ts";

/** Silence as MPEG layer III, which takes no encoder: frames whose parts are all empty. */
export function silentMp3(samples: number, words: string): Uint8Array {
  const frames = Math.ceil(samples / FRAME_SAMPLES);
  return Buffer.concat([id3Tag(words), ...Array<Uint8Array>(frames).fill(FRAME)]);
}

/** At half the rate of a compact disc and below, a frame has half the samples. */
const FRAME_SAMPLES = 576;
const BITS_PER_SECOND = 32_000;
const FRAME = Buffer.alloc((FRAME_SAMPLES / 8) * (BITS_PER_SECOND / SAMPLE_RATE_HZ));
// Version 2, layer III without a checksum; 32 kbit/s at 24 kHz; one channel.
FRAME.set([0xff, 0xf3, 0x44, 0xc0]);

/** Counts the frames from a place on; a tail that is no frame is left out. */
export function mp3Seconds(file: Buffer, from: number): number | undefined {
  let seconds = 0;
  for (let at = from; at + 4 <= file.length;) {
    const frame = readHead(file.readUInt32BE(at));
    if (frame === undefined) break;
    seconds += frame.seconds;
    at += frame.bytes;
  }
  return seconds === 0 ? undefined : seconds;
}

interface FrameHead {
  readonly bytes: number;
  readonly seconds: number;
}

function readHead(head: number): FrameHead | undefined {
  const isSync = head >>> 21 === 0x7ff;
  const version = (head >>> 19) & 3;
  const layer = (head >>> 17) & 3;
  const rateHz = RATES_HZ[(head >>> 10) & 3];
  if (!isSync || layer !== LAYER_III || version === 1 || rateHz === undefined) return undefined;
  const isFirst = version === 3;
  const kilobits = (isFirst ? KILOBITS : LATER_KILOBITS)[(head >>> 12) & 15];
  if (kilobits === undefined || kilobits === 0) return undefined;
  const frequencyHz = rateHz / (isFirst ? 1 : version === 2 ? 2 : 4);
  const samples = isFirst ? 1_152 : 576;
  const padding = (head >>> 9) & 1;
  const bytes = Math.floor(((samples / 8) * kilobits * 1_000) / frequencyHz) + padding;
  return { bytes, seconds: samples / frequencyHz };
}

const LAYER_III = 1;
const RATES_HZ = [44_100, 48_000, 32_000];
const KILOBITS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const LATER_KILOBITS = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
