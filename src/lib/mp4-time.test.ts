import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { makeVideo } from "@sluice/sandbox/engine/video.ts";
import { mp4TimeOf } from "./mp4-time.ts";
import { SEED } from "#test/seed.ts";

describe("the play time of a video", () => {
  test("is read from its header", async () => {
    const film = await makeVideo({
      width: 64,
      height: 64,
      seconds: 3,
      framesPerSecond: 24,
      prompt: "",
      hasSound: false,
    });

    expect(mp4TimeOf(film)).toBe(3_000);
    expect(mp4TimeOf(film.subarray(0, 16))).toBeUndefined();
  });

  test("is read with 64-bit times and sizes", () => {
    const mvhd = Buffer.alloc(8 + 32);
    mvhd.writeUInt32BE(mvhd.length, 0);
    mvhd.write("mvhd", 4);
    mvhd.writeUInt8(1, 8);
    mvhd.writeUInt32BE(1_000, 8 + 20);
    mvhd.writeBigUInt64BE(90_000n, 8 + 24);
    const head = Buffer.alloc(16);
    head.writeUInt32BE(1, 0);
    head.write("moov", 4);
    head.writeBigUInt64BE(BigInt(16 + mvhd.length), 8);

    expect(mp4TimeOf(Buffer.concat([head, mvhd]))).toBe(90_000);
  });

  test("is undefined for any other data", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        mp4TimeOf(bytes);
      }),
      { seed: SEED },
    );
    const moov = Buffer.from("0000006d6f6f76000000006d766864", "hex");
    expect(mp4TimeOf(moov)).toBeUndefined();
    expect(mp4TimeOf(Buffer.from("00000008667479700000000066726565", "hex"))).toBeUndefined();
  });
});
