import { expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import { playTimeOf } from "./play-time.ts";

const ascii = (text: string): Buffer => Buffer.from(text, "latin1");
const word = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

/** One channel of 16 bits. */
function wav(rate: number, dataBytes: number, said = dataBytes, before = Buffer.alloc(0)): Buffer {
  const format = Buffer.concat([word(0x0001_0001), word(rate), word(rate * 2), word(0x0010_0002)]);
  return Buffer.concat([
    ascii("RIFF"),
    word((36 + said) % 2 ** 32),
    ascii("WAVE"),
    ascii("fmt "),
    word(format.length),
    format,
    before,
    ascii("data"),
    word(said),
    Buffer.alloc(dataBytes),
  ]);
}

test("a WAV file has its play time in its header, with any chunks before the sound", () => {
  const note = Buffer.concat([ascii("LIST"), word(3), ascii("odd\0")]);

  expect(playTimeOf(wav(24_000, 48_000))).toBe(1_000);
  expect(playTimeOf(wav(8_000, 40_000, 40_000, note))).toBe(2_500);
});

test("a streamed WAV file plays as long as it has bytes", () => {
  expect(playTimeOf(wav(24_000, 96_000, 0xffff_ffff))).toBe(2_000);
  expect(playTimeOf(wav(24_000, 96_000, 0))).toBe(2_000);
});

test("a WAV file with an impossible data rate plays as long as its sound", () => {
  const told = wav(16_000, 32_000);
  const atOnce = Buffer.from(told);
  atOnce.writeUInt32LE(0xffff_ffff, 28);
  const packed = Buffer.from(atOnce);
  packed.writeUInt16LE(0x11, 20);

  expect(playTimeOf(told)).toBe(1_000);
  expect(playTimeOf(atOnce)).toBe(1_000);
  expect(playTimeOf(packed)).toBe(1_000);
});

test("a WAV file with very many chunks is not scanned to its end, but estimated by its size", () => {
  const nothing = Buffer.concat([ascii("junk"), word(0)]);
  const before = Buffer.concat(Array.from({ length: 10_000 }, () => nothing));
  const told = wav(16_000, 32_000, 32_000, before);

  expect(playTimeOf(told)).toBe(Math.round(told.length / 8));
});

test("a compressed WAV file plays at its stated rate", () => {
  const packed = wav(16_000, 32_000);
  packed.writeUInt16LE(0x11, 20);
  packed.writeUInt32LE(8_000, 28);

  expect(playTimeOf(packed)).toBe(4_000);
});

test("a FLAC file has its number of samples and its rate", () => {
  const block = Buffer.alloc(34);
  block.writeUIntBE((44_100 << 4) | 2, 10, 3);
  block.writeUInt8(0xf0, 13);
  block.writeUInt32BE(88_200, 14);

  expect(playTimeOf(Buffer.concat([ascii("fLaC"), word(0x2200_0000), block]))).toBe(2_000);
});

test("a FLAC file holds at most as much sound per second as it would uncompressed", () => {
  const block = Buffer.alloc(34);
  block.writeUIntBE((44_100 << 4) | 2, 10, 3);
  block.writeUInt8(0xf0, 13);
  block.writeUInt32BE(441, 14);
  const cover = Buffer.concat([Buffer.from([0x86, 0x10, 0, 0]), Buffer.alloc(0x10_0000)]);
  const head = Buffer.concat([ascii("fLaC"), word(0x2200_0000), block, cover]);

  // Two channels of 16 bits.
  const second = Buffer.alloc(44_100 * 4);
  expect(playTimeOf(Buffer.concat([head, second]))).toBe(1_000);
  expect(playTimeOf(head)).toBe(10);
});

/** Silence in layer III of the first version, 44,100 samples a second: 38.28 frames. */
function mp3(kilobits: 32 | 128 | 320, frames: number): Buffer {
  const frame = Buffer.alloc(Math.floor((144_000 * kilobits) / 44_100));
  frame.writeUInt32BE({ 32: 0xfffb_1000, 128: 0xfffb_9000, 320: 0xfffb_e000 }[kilobits], 0);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
}
const framesMs = (frames: number): number => Math.round((frames * 1_152_000) / 44_100);

test("an MP3 file plays all its frames, after its tags", () => {
  const tag = Buffer.concat([ascii("ID3"), Buffer.from([4, 0, 0, 0, 0, 1, 2]), Buffer.alloc(130)]);

  expect(playTimeOf(mp3(128, 77))).toBe(framesMs(77));
  expect(playTimeOf(Buffer.concat([tag, mp3(128, 77)]))).toBe(framesMs(77));
});

test("an MP3 file with a variable bitrate has its exact play time", () => {
  const silenceFirst = Buffer.concat([mp3(32, 10), mp3(320, 100)]);
  const loudFirst = Buffer.concat([mp3(320, 1), mp3(32, 1_000)]);

  expect(playTimeOf(silenceFirst)).toBe(framesMs(110));
  expect(playTimeOf(loudFirst)).toBe(framesMs(1_001));
});

test("an MP3 file continues after bytes that are not sound, and a tag at its end is not played", () => {
  const note = Buffer.concat([ascii("TAG"), Buffer.alloc(125, 0x20)]);
  const torn = Buffer.concat([mp3(320, 1), Buffer.alloc(7), mp3(32, 1_000), note]);

  expect(playTimeOf(torn)).toBe(framesMs(1_001));
});

test("an MP3 file of an older version has shorter frames", () => {
  // Of the second version, 24,000 samples a second: 64 kbit/s.
  const frame = Buffer.alloc(192);
  frame.writeUInt32BE(0xfff3_8400, 0);

  expect(playTimeOf(Buffer.concat(Array.from({ length: 100 }, () => frame)))).toBe(2_400);
});

test("an MP3 file that is truncated within a frame, or has no bitrate, is estimated by its size", () => {
  const whole = mp3(128, 3);
  const free = Buffer.alloc(8_000);
  free.writeUInt32BE(0xfffb_0000, 0);

  expect(playTimeOf(whole.subarray(0, -100))).toBe(framesMs(3));
  expect(playTimeOf(free)).toBe(1_000);
});

test("any other data is estimated by its size without an error", () => {
  expect(playTimeOf(ascii("OggS").fill(1, 4))).toBeGreaterThanOrEqual(0);
  expect(playTimeOf(Buffer.concat([ascii("OggS"), Buffer.alloc(7_996)]))).toBe(1_000);
  const heads = ["", "RIFFxxxxWAVE", "RIFFxxxxWAVEfmt ", "fLaC", "ID3", "\xff\xfb\x90\x00"];
  fc.assert(
    fc.property(fc.constantFrom(...heads), fc.uint8Array(), (head, rest) => {
      const ms = playTimeOf(Buffer.concat([ascii(head), rest]));
      expect(Number.isSafeInteger(ms) && ms >= 0).toBe(true);
    }),
    { seed: SEED },
  );
});
