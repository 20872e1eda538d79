import { expect, test } from "bun:test";
import { inspectMedia } from "./media.ts";
import { paint } from "./picture.ts";

function sidesOf(file: Uint8Array): string {
  const { mediaType, widthPixels, heightPixels } = inspectMedia("image", file);
  return `${mediaType} ${widthPixels}x${heightPixels}`;
}

const picture = new Bun.Image(paint(300, 200, "A fox"));

test("the size of WebP files is read, lossy or lossless", async () => {
  expect(sidesOf(await picture.webp({ quality: 80 }).bytes())).toBe("image/webp 300x200");
  expect(sidesOf(await picture.webp({ lossless: true }).bytes())).toBe("image/webp 300x200");
});

test("the size of a WebP file with an extended header is read", () => {
  const file = Buffer.alloc(30);
  file.write("RIFF", 0);
  file.write("WEBPVP8X", 8);
  file.writeUIntLE(70_000 - 1, 24, 3);
  file.writeUIntLE(200 - 1, 27, 3);

  expect(sidesOf(file)).toBe("image/webp 70000x200");
});

test("the size of BMP files is read, also for top-down ones", () => {
  const file = Buffer.alloc(54);
  file.write("BM");
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(300, 18);
  file.writeInt32LE(-200, 22);

  expect(sidesOf(file)).toBe("image/bmp 300x200");
});

test.each([true, false])("the size of TIFF files is read, little-endian: %p", (isLittle) => {
  const file = new DataView(new ArrayBuffer(34));
  for (const [at, byte] of [...(isLittle ? "II*\0" : "MM\0*")].entries())
    file.setUint8(at, byte.charCodeAt(0));
  file.setUint32(4, 8, isLittle);
  file.setUint16(8, 2, isLittle);
  for (const [index, [tag, type, value]] of [
    [256, 3, 300],
    [257, 4, 200],
  ].entries()) {
    const at = 10 + index * 12;
    file.setUint16(at, tag ?? 0, isLittle);
    file.setUint16(at + 2, type ?? 0, isLittle);
    file.setUint32(at + 4, 1, isLittle);
    if (type === 3) file.setUint16(at + 8, value ?? 0, isLittle);
    else file.setUint32(at + 8, value ?? 0, isLittle);
  }

  expect(sidesOf(new Uint8Array(file.buffer))).toBe("image/tiff 300x200");
});

test.each(["BM", "II*\0", "MM\0*\xff\xff\xff\xff", "RIFF....WEBPVP8 "])(
  "a truncated file has no size: %j",
  (head) => {
    expect(sidesOf(Buffer.from(head, "latin1"))).toEndWith(" undefinedxundefined");
  },
);
