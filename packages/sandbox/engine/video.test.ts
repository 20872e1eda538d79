import { describe, expect, test } from "bun:test";
import { decodeFrames, mp4Boxes, probe, testWithFfmpeg } from "../testing/media-files.ts";
import { makeVideo, type VideoWish } from "./video.ts";
import { newScene } from "./video/scene.ts";

const requested: VideoWish = {
  width: 640,
  height: 360,
  seconds: 2,
  framesPerSecond: 24,
  prompt: "A red fox in the snow",
  hasSound: true,
};
const shown = "codec_name,profile,width,height,channels,r_frame_rate,duration,nb_frames";

describe("the video file", () => {
  test("has its header before its data, so that a player can begin early", async () => {
    const boxes = mp4Boxes(await makeVideo(requested));

    expect(boxes.filter(({ path }) => !path.includes("/")).map(({ path }) => path)).toEqual([
      "ftyp",
      "moov",
      "mdat",
    ]);
  });

  test("has a video track, and an audio track if sound is requested", async () => {
    const kinds = async (hasSound: boolean) =>
      mp4Boxes(await makeVideo({ ...requested, hasSound }))
        .filter(({ path }) => path === "moov/trak/mdia/hdlr")
        .map(({ bytes }) => bytes.toString("latin1", 8, 12));

    expect(await kinds(true)).toEqual(["vide", "soun"]);
    expect(await kinds(false)).toEqual(["vide"]);
  });

  test("lists every sample, and the samples fill it to its end", async () => {
    const file = await makeVideo(requested);
    const boxes = mp4Boxes(file);
    const table = "moov/trak/mdia/minf/stbl/";
    const places = boxes.filter(({ path }) => path === `${table}stco`);
    const lengths = boxes
      .filter(({ path }) => path === `${table}stsz`)
      .map(({ bytes }) => {
        const count = bytes.readUInt32BE(8);
        const sizes = Array.from({ length: count }, (_, at) => bytes.readUInt32BE(12 + at * 4));
        return { count, total: sizes.reduce((sum, size) => sum + size, 0) };
      });
    const media = boxes.find(({ path }) => path === "mdat");
    const [video, sound] = places.map(({ bytes }) => bytes.readUInt32BE(8));

    expect(lengths.map(({ count }) => count)).toEqual([48, 93]);
    expect(video).toBe(media?.start);
    expect(sound).toBe((video ?? 0) + (lengths[0]?.total ?? 0));
    expect((sound ?? 0) + (lengths[1]?.total ?? 0)).toBe(file.length);
  });

  test("is the same for the same request, and another for another", async () => {
    const [first, again, other] = await Promise.all([
      makeVideo(requested),
      makeVideo({ ...requested }),
      makeVideo({ ...requested, prompt: "A blue whale" }),
    ]);

    expect(again).toBe(first);
    expect(Buffer.compare(first, other)).not.toBe(0);
  });

  test("stays small: ten seconds in 1080p are less than three megabytes", async () => {
    const long = { ...requested, width: 1920, height: 1080, seconds: 10 };

    expect((await makeVideo(long)).length).toBeLessThan(3_000_000);
  });
});

describe("an independent player", () => {
  testWithFfmpeg("finds the frames and the silence, without a warning", async () => {
    expect(await probe(await makeVideo(requested), shown)).toBe(
      "h264|Constrained Baseline|640|360|24/1|2.000000|48\naac|LC|1|0/0|1.984000|93",
    );
  });

  testWithFfmpeg("reads sizes that are not multiples of a macroblock", async () => {
    const odd = { ...requested, width: 1_111, height: 834, seconds: 29 / 24, hasSound: false };

    expect(await probe(await makeVideo(odd), shown)).toBe(
      "h264|Constrained Baseline|1112|834|24/1|1.208333|29",
    );
  });

  testWithFfmpeg("reads the other container as well", async () => {
    const mov = await makeVideo({ ...requested, seconds: 1, hasSound: false, brand: "qt  " });

    expect(await probe(mov, shown)).toBe("h264|Constrained Baseline|640|360|24/1|1.000000|24");
  });

  testWithFfmpeg("reads every pixel as it was painted, in every frame", async () => {
    const script = { width: 240, height: 136, frames: 300, prompt: "Fox", caption: "240x136 10s" };
    const decoded = await decodeFrames(
      await makeVideo({
        ...requested,
        ...script,
        seconds: 10,
        framesPerSecond: 30,
        hasSound: false,
      }),
    );
    const frameSize = (240 * 136 * 3) / 2;
    const scene = newScene(script);
    const stride = scene.picture.columns * 16;
    const differing: number[] = [];
    for (let frame = 0; frame < script.frames; frame++) {
      scene.draw(frame);
      const seen = decoded.subarray(frame * frameSize);
      for (let row = 0; row < script.height; row++) {
        const painted = scene.picture.luma.subarray(row * stride, row * stride + script.width);
        const line = seen.subarray(row * script.width, (row + 1) * script.width);
        if (Buffer.compare(painted, line) !== 0) differing.push(frame);
      }
    }

    expect(decoded.length).toBe(300 * frameSize);
    expect(differing).toEqual([]);
  });

  testWithFfmpeg("sees motion over the whole length", async () => {
    const decoded = await decodeFrames(await makeVideo({ ...requested, hasSound: false }));
    const frameSize = (640 * 360 * 3) / 2;
    const frames = Array.from({ length: 48 }, (_, at) =>
      decoded.subarray(at * frameSize, (at + 1) * frameSize).toString("latin1"),
    );

    expect(new Set(frames).size).toBe(48);
  });
});
