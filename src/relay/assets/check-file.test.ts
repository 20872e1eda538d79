import { expect, test } from "bun:test";
import type { AssetType } from "#core/asset.ts";
import { makeVideo } from "@sluice/sandbox/engine/video.ts";
import { pngUrl } from "@sluice/sandbox/testing/pictures.ts";
import { checkFile, isHeld, maxBytesOf } from "./check-file.ts";

const MAX_PIXELS = 4_000_000;

const png = (width: number, height: number): Buffer =>
  Buffer.from(pngUrl(width, height).replace(/^.*,/, ""), "base64");

/** Sixteen bits at 8 kHz. */
function wav(seconds: number): Buffer {
  const data = seconds * 16_000;
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + data, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(data, 40);
  return Buffer.concat([head, Buffer.alloc(data)]);
}

/** At 128 kbit a second, 48,000 samples of which make 41.7 frames. */
function mp3(seconds: number): Buffer {
  const frame = Buffer.alloc(384);
  frame.writeUInt32BE(0xfffb_9464, 0);
  return Buffer.concat(Array.from({ length: Math.ceil(seconds / 0.024) }, () => frame));
}

const film = (seconds: number) =>
  makeVideo({
    width: 64,
    height: 64,
    seconds,
    framesPerSecond: 24,
    prompt: "",
    hasSound: false,
  });

/** The first bytes of a JPEG file, and nothing after them. */
function jpeg(sizeBytes: number): Buffer {
  const file = Buffer.alloc(sizeBytes);
  file.writeUInt32BE(0xffd8_ffe0, 0);
  return file;
}

test.each<[string, AssetType, () => Uint8Array | Promise<Uint8Array>, string]>([
  ["a picture", "image", () => png(128, 128), "image/png"],
  ["an image without enough pixels", "image", () => png(63, 128), "WidthTooSmall"],
  ["an image of too many pixels", "image", () => png(3_000, 3_000), "PixelCountTooLarge"],
  ["an image with a long side", "image", () => png(10_001, 100), "WidthTooLarge"],
  ["a strip", "image", () => png(1_000, 100), "AspectRatioTooLarge"],
  ["a picture of the shortest sides", "image", () => png(64, 64), "image/png"],
  ["a picture of as many pixels as allowed", "image", () => png(2_000, 2_000), "image/png"],
  ["a strip that is eight times as long as wide", "image", () => png(64, 512), "image/png"],
  ["a recording", "image", () => wav(2), "TypeMismatch"],
  ["nothing", "image", () => Buffer.alloc(0), "DownloadFailed"],
  ["a film", "video", () => film(2), "video/mp4"],
  ["a picture", "video", () => png(128, 128), "TypeMismatch"],
  ["a film of no length", "video", () => film(0.5), "DurationTooShort"],
  ["a recording", "audio", () => wav(2), "audio/wav"],
  ["a compressed recording", "audio", () => mp3(3), "audio/mpeg"],
  ["a recording of no length", "audio", () => wav(0), "DurationTooShort"],
  ["a recording of a second", "audio", () => wav(1), "audio/wav"],
  ["a recording of five minutes", "audio", () => wav(300), "audio/wav"],
  ["a very long recording", "audio", () => mp3(301), "DurationTooLong"],
  ["a photo", "audio", () => jpeg(16_000), "TypeMismatch"],
  ["a film", "audio", () => film(2), "TypeMismatch"],
])("%s as %s is recognised", async (_what, type, make, expected) => {
  const found = await checkFile(await make(), type, MAX_PIXELS);

  expect("code" in found ? found.code : found.mediaType).toBe(expected);
});

test("a side of an image may have 10,000 pixels", async () => {
  expect(await checkFile(png(10_000, 1_250), "image", 20_000_000)).toEqual({
    mediaType: "image/png",
  });
});

test("a file that plays for too long is refused with the limit", async () => {
  expect(await checkFile(wav(301), "audio", MAX_PIXELS)).toEqual({
    code: "DurationTooLong",
    message: "It plays for more than 300 seconds.",
  });
});

test.each<[AssetType, number, boolean]>([
  ["image", 30, true],
  ["video", 200, false],
  ["audio", 15, true],
])("%s files have up to %i MiB; read as a whole for the check: %p", (type, mebibytes, isWhole) => {
  expect(maxBytesOf(type)).toBe(mebibytes * 1_048_576);
  expect(isHeld(type)).toBe(isWhole);
});
