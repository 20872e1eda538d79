import { expect, test } from "bun:test";
import { readMp3Seconds } from "./mp3-head.ts";
import { readMp4Head } from "./mp4-head.ts";
import { makeVideo } from "./video.ts";

const requested = { width: 320, height: 240, seconds: 3, framesPerSecond: 30, prompt: "a cat" };

test("the header of a video has its size, with any other content", async () => {
  const video = await makeVideo({ ...requested, hasSound: true });
  const film = await makeVideo({ ...requested, hasSound: false, brand: "qt  " });
  const measures = { seconds: 3, widthPixels: 320, heightPixels: 240, framesPerSecond: 30 };

  expect(readMp4Head(video)).toEqual({ brand: "isom", ...measures });
  expect(readMp4Head(film)).toEqual({ brand: "qt  ", ...measures });
});

test("a truncated or damaged video causes no error", async () => {
  const video = await makeVideo({ ...requested, hasSound: false });
  for (let at = 0; at < Math.min(video.length, 1_200); at++) {
    const bent = video.slice();
    bent[at] = 255;

    expect(readMp4Head(video.subarray(0, at))?.brand ?? "isom").toBe("isom");
    expect(() => readMp4Head(bent)).not.toThrow();
  }
  expect(readMp4Head(new Uint8Array())).toBeUndefined();
});

test.each([
  ["with 128 kilobits a second", [0xff, 0xfb, 0x90, 0x00], 16_000, 1],
  ["of half the sound", [0xff, 0xf3, 0x80, 0x00], 16_000, 2],
  ["with a title of ten bytes before it", [...tagged(10), 0xff, 0xfb, 0x90, 0x00], 16_020, 1],
])("the first frame of a recording %s has its length", (_how, head, length, seconds) => {
  const file = new Uint8Array(length);
  file.set(head);

  expect(readMp3Seconds(file)).toBe(seconds);
});

test.each([[[0xff, 0xfb, 0xf0, 0]], [[0xff, 0xfb, 0x9c, 0]], [[0xff, 0xd8, 0xff, 0xe0]], [[]]])(
  "%j is no recording",
  (head) => {
    expect(readMp3Seconds(new Uint8Array(head))).toBeUndefined();
  },
);

function tagged(length: number): readonly number[] {
  const bytes = Array.from<number>({ length: 10 + length }).fill(0);
  return [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, length, ...bytes.slice(10)];
}
