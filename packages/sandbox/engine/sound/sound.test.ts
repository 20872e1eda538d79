import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { checksum } from "./checksum.ts";
import { encodeSound, SOUND_FORMATS } from "./encode-sound.ts";
import { letterTones } from "./letter-tones.ts";
import { readSound } from "./read-sound.ts";

const WORDS = 'The quick brown fox, über 漢字 and "quotes" = signs';
const PCM = letterTones(WORDS.repeat(2), 220, 1);
const SECONDS = PCM.length / 48_000;
const FILES = SOUND_FORMATS.filter((format) => format !== "pcm");

test.each(FILES)("%s files are recognised by their content, with length and text", (format) => {
  const sound = readSound(encodeSound(PCM, format, WORDS));

  expect(sound?.words).toBe(WORDS);
  // In whole frames, where the format has them.
  expect(Math.abs((sound?.seconds ?? 0) - SECONDS)).toBeLessThan(0.05);
  expect(sound?.mediaType).toStartWith("audio/");
});

test.each(FILES)("%s files that are truncated anywhere cause no error", (format) => {
  const file = encodeSound(PCM.subarray(0, 9_600), format, WORDS);

  for (let length = 0; length < Math.min(file.length, 2_000); length++)
    expect(() => readSound(file.subarray(0, length))).not.toThrow();
});

test("data that is no audio is refused", () => {
  expect(readSound(Buffer.from("hello, this is a text"))).toBeUndefined();
  expect(readSound(new Uint8Array(100))).toBeUndefined();
  expect(readSound(new Uint8Array())).toBeUndefined();
});

test("faster speech is shorter, and every voice differs", () => {
  expect(letterTones("some words", 220, 2).length).toBe(
    letterTones("some words", 220, 1).length / 2,
  );
  expect(letterTones("some words", 220, 1)).not.toEqual(letterTones("some words", 330, 1));
  expect(letterTones("", 220, 1).length).toBeGreaterThan(0);
  expect(letterTones("x".repeat(20_000), 220, 0.25).length).toBeLessThanOrEqual(300 * 48_000);
});

test("checksums equal those of the published catalogue", () => {
  const nine = Buffer.from("123456789");

  expect(checksum(nine, 8, 0x07)).toBe(0xf4);
  expect(checksum(nine, 16, 0x8005)).toBe(0xfee8);
  // Which is listed as the complement of this, with a start of ones; Ogg has neither.
  expect(checksum(Buffer.from([0, 0, 0, 1]), 32, 0x04c11db7)).toBe(0x04c11db7);
});

const hasProbe = spawnSync("ffprobe", ["-version"]).status === 0;

describe.skipIf(!hasProbe)("an independent decoder", () => {
  test.each(FILES)("reads %s files to their end", (format) => {
    const folder = mkdtempSync(join(tmpdir(), "sound-"));
    try {
      const path = join(folder, `a.${format}`);
      writeFileSync(path, encodeSound(PCM, format, WORDS));
      const decoded = spawnSync(
        "ffmpeg",
        ["-v", "error", "-xerror", "-i", path, "-f", "s16le", "-ar", "24000", "-"],
        { maxBuffer: 64 * 1_048_576 },
      );

      expect(decoded.stderr.toString()).toBe("");
      expect(Math.abs(decoded.stdout.length / 48_000 - SECONDS)).toBeLessThan(0.06);
      if (format === "wav" || format === "flac")
        expect(decoded.stdout.equals(Buffer.from(PCM))).toBe(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
