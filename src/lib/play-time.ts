import { viewOf } from "./sse-bytes.ts";

/**
 * How long a recording plays, in ms: read off its head where that says it, and
 * otherwise what so many bytes are at a bitrate that is common for speech.
 */
export function playTimeOf(bytes: Uint8Array): number {
  const view = viewOf(bytes);
  const read = [wavMs, flacMs, mp3Ms].map((each) => each(view)).find((ms) => ms !== undefined);
  return Math.round(read ?? atBitrate(bytes.length, COMMON_BITRATE));
}

const COMMON_BITRATE = 64_000;
/** Before the sound: a file that has more was made to be gone over for long. */
const MAX_BLOCKS = 1_000;

function atBitrate(sizeBytes: number, bitsPerSecond: number): number {
  return (sizeBytes * 8_000) / bitsPerSecond;
}

/** The size in the head is of no use where the recording was written while it was made. */
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

/** What is written as PCM, floating or not, or does not tell. */
const UNPACKED = new Set([1, 3, 0xfffe]);

/** Nobody reads the figure to play it, so that it may say anything: it is held to what the sound can be. */
function wavBytesPerSecond(format: Buffer): number {
  const isUnpacked = UNPACKED.has(format.readUInt16LE(0));
  const bits = isUnpacked ? format.readUInt16LE(14) : 16;
  const most = (format.readUInt32LE(4) * format.readUInt16LE(2) * bits) / 8;
  return Math.min(format.readUInt32LE(8), most);
}

/** Of the block that every such file begins with: 20 bits of rate, 3 of channels, 5 of depth, 36 of samples. */
function flacMs(bytes: Buffer): number | undefined {
  if (asciiAt(bytes, 0) !== "fLaC" || bytes.length < 26) return undefined;
  const rate = bytes.readUIntBE(18, 3) >> 4;
  const channels = ((bytes.readUInt8(20) >> 1) & 7) + 1;
  const bits = ((bytes.readUInt16BE(20) >> 4) & 31) + 1;
  const samples = (bytes.readUInt8(21) & 0x0f) * 2 ** 32 + bytes.readUInt32BE(22);
  if (rate === 0 || samples === 0) return undefined;
  // Players go on for as long as there is sound, whatever was said of it.
  const unpacked = atBitrate(soundBytesOfFlac(bytes), rate * channels * bits);
  return Math.max((samples * 1_000) / rate, unpacked);
}

/** Titles and pictures stand before it, in blocks. */
function soundBytesOfFlac(bytes: Buffer): number {
  let at = 4;
  for (let block = 0, isLast = false; block < MAX_BLOCKS && !isLast; block++) {
    if (at + 4 > bytes.length) break;
    isLast = bytes.readUInt8(at) >= 0x80;
    at += 4 + bytes.readUIntBE(at + 1, 3);
  }
  return Math.max(0, bytes.length - at);
}

/** Kilobits a second of layer III, by the versions' tables. */
const MPEG_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

/** Samples a second of the first version; the second has half of them, and the one between a quarter. */
const MPEG_RATES = [44_100, 48_000, 32_000];
/** Hours of sound: a file that has more frames, or more that looks like one, was made to be gone over for long. */
const MAX_LOOKS = 400_000;
const SLOWEST_BITRATE = 8_000;

/**
 * All its frames, since each may have a bitrate of its own; titles and pictures
 * may stand before them. Players pass over what is no frame, and so does this.
 */
function mp3Ms(bytes: Buffer): number | undefined {
  let at = asciiAt(bytes, 0).startsWith("ID3") ? afterTag(bytes) : 0;
  if (mp3FrameAt(bytes, at) === undefined) return undefined;
  let ms = 0;
  for (let looks = 0; at >= 0 && looks < MAX_LOOKS; looks++) {
    const frame = mp3FrameAt(bytes, at);
    ms += frame?.ms ?? 0;
    at = bytes.indexOf(0xff, at + (frame?.sizeBytes ?? 1));
  }
  return at < 0 ? ms : ms + atBitrate(bytes.length - at, SLOWEST_BITRATE);
}

/** Undefined where none begins there, or one that does not say how long it is. */
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

/** Its length is written in four bytes of seven bits each. */
function afterTag(bytes: Buffer): number {
  if (bytes.length < 10) return bytes.length;
  return 10 + [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (bytes.readUInt8(at) & 0x7f), 0);
}

function asciiAt(bytes: Buffer, at: number): string {
  return bytes.toString("latin1", at, at + 4);
}
