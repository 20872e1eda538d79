import { viewOf } from "./sse-bytes.ts";

/**
 * Play time of a recording in ms: from its header if possible, otherwise
 * estimated from its size at a common bitrate for speech.
 */
export function playTimeOf(bytes: Uint8Array): number {
  const view = viewOf(bytes);
  const read = [wavMs, flacMs, mp3Ms].map((each) => each(view)).find((ms) => ms !== undefined);
  return Math.round(read ?? atBitrate(bytes.length, COMMON_BITRATE));
}

const COMMON_BITRATE = 64_000;
/** Limit of blocks before the sound, against files made to take long. */
const MAX_BLOCKS = 1_000;

function atBitrate(sizeBytes: number, bitsPerSecond: number): number {
  return (sizeBytes * 8_000) / bitsPerSecond;
}

/** The size in the header is unreliable, because streaming recorders do not know it. */
function wavMs(bytes: Buffer): number | undefined {
  if (asciiAt(bytes, 0) !== "RIFF" || asciiAt(bytes, 8) !== "WAVE") return undefined;
  let bytesPerSecond = 0;
  for (let block = 0, at = 12; block < MAX_BLOCKS && at + 8 <= bytes.length; block++) {
    const name = asciiAt(bytes, at);
    const sizeBytes = bytes.readUInt32LE(at + 4);
    const start = at + 8;
    if (name === "fmt " && start + 16 <= bytes.length) {
      bytesPerSecond = wavBytesPerSecond(bytes.subarray(start));
    }
    if (name === "data") {
      const held = Math.min(sizeBytes === 0 ? Infinity : sizeBytes, bytes.length - start);
      return bytesPerSecond === 0 ? undefined : (held * 1_000) / bytesPerSecond;
    }
    at = start + sizeBytes + (sizeBytes % 2);
  }
  return undefined;
}

/** Formats of PCM, float or unknown. */
const UNPACKED = new Set([1, 3, 0xfffe]);

/**
 * Players ignore this value, so it may be wrong: it is limited to the possible
 * values of the sound.
 */
function wavBytesPerSecond(format: Buffer): number {
  const isUnpacked = UNPACKED.has(format.readUInt16LE(0));
  const bits = isUnpacked ? format.readUInt16LE(14) : 16;
  const most = (format.readUInt32LE(4) * format.readUInt16LE(2) * bits) / 8;
  return Math.min(format.readUInt32LE(8), most);
}

/**
 * The first block of every file has 20 bits of sample rate, 3 of channels, 5 of
 * depth, 36 of sample count.
 */
function flacMs(bytes: Buffer): number | undefined {
  if (asciiAt(bytes, 0) !== "fLaC" || bytes.length < 26) return undefined;
  const rate = bytes.readUIntBE(18, 3) >> 4;
  const channels = ((bytes.readUInt8(20) >> 1) & 7) + 1;
  const bits = ((bytes.readUInt16BE(20) >> 4) & 31) + 1;
  const samples = (bytes.readUInt8(21) & 0x0f) * 2 ** 32 + bytes.readUInt32BE(22);
  if (rate === 0 || samples === 0) return undefined;
  // Players continue as long as there is sound, independent of the sample count.
  const unpacked = atBitrate(soundBytesOfFlac(bytes), rate * channels * bits);
  return Math.max((samples * 1_000) / rate, unpacked);
}

/** Metadata blocks precede the sound. */
function soundBytesOfFlac(bytes: Buffer): number {
  let at = 4;
  for (let block = 0, isLast = false; block < MAX_BLOCKS && !isLast; block++) {
    if (at + 4 > bytes.length) break;
    isLast = bytes.readUInt8(at) >= 0x80;
    at += 4 + bytes.readUIntBE(at + 1, 3);
  }
  return Math.max(0, bytes.length - at);
}

/** Kilobits per second of layer III, by MPEG version. */
const MPEG_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

/** Samples per second of MPEG 1; MPEG 2 has half of them, MPEG 2.5 a quarter. */
const MPEG_RATES = [44_100, 48_000, 32_000];
/** Limit of frames, equal to hours of sound, against files made to take long. */
const MAX_FRAMES = 400_000;
const SLOWEST_BITRATE = 8_000;

/**
 * Sums all frames, since each may have its own bitrate; tags may precede them.
 * Like players, it skips bytes that are not a frame.
 */
function mp3Ms(bytes: Buffer): number | undefined {
  let at = asciiAt(bytes, 0).startsWith("ID3") ? afterTag(bytes) : 0;
  if (mp3FrameAt(bytes, at) === undefined) return undefined;
  let ms = 0;
  for (let looks = 0; at >= 0 && looks < MAX_FRAMES; looks++) {
    const frame = mp3FrameAt(bytes, at);
    ms += frame?.ms ?? 0;
    at = bytes.indexOf(0xff, at + (frame?.sizeBytes ?? 1));
  }
  return at < 0 ? ms : ms + atBitrate(bytes.length - at, SLOWEST_BITRATE);
}

/** Undefined if no frame starts there, or its length is unknown. */
function mp3FrameAt(
  bytes: Buffer,
  at: number,
): { readonly sizeBytes: number; readonly ms: number } | undefined {
  if (at + 4 > bytes.length) return undefined;
  const head = bytes.readUInt32BE(at);
  const version = (head >>> 19) & 3;
  const isThirdLayer = head >>> 21 === 0x7ff && ((head >>> 17) & 3) === 1;
  const isFirst = version === 3;
  const kilobits = (isFirst ? MPEG_1 : MPEG_2)[(head >>> 12) & 15] ?? 0;
  const rate = (MPEG_RATES[(head >>> 10) & 3] ?? 0) / (isFirst ? 1 : version === 2 ? 2 : 4);
  if (!isThirdLayer || version === 1 || kilobits === 0 || rate === 0) return undefined;
  const samples = isFirst ? 1_152 : 576;
  const padding = (head >>> 9) & 1;
  return {
    sizeBytes: Math.floor((samples * kilobits * 125) / rate) + padding,
    ms: (samples * 1_000) / rate,
  };
}

/** The tag's length is four bytes with seven bits each. */
function afterTag(bytes: Buffer): number {
  if (bytes.length < 10) return bytes.length;
  return 10 + [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (bytes.readUInt8(at) & 0x7f), 0);
}

function asciiAt(bytes: Buffer, at: number): string {
  return bytes.toString("latin1", at, at + 4);
}
