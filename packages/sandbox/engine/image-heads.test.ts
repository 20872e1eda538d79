import { expect, test } from "bun:test";
import { inspectMedia } from "./media.ts";
import { paint } from "./picture.ts";

function sidesOf(file: Uint8Array): string {
  const { mediaType, widthPixels, heightPixels } = inspectMedia("image", file);
  return `${mediaType} ${widthPixels}x${heightPixels}`;
}

const picture = new Bun.Image(paint(300, 200, "A fox"));

test("the measures of WebP files are read, whether something was lost or not", async () => {
  expect(sidesOf(await picture.webp({ quality: 80 }).bytes())).toBe("image/webp 300x200");
  expect(sidesOf(await picture.webp({ lossless: true }).bytes())).toBe("image/webp 300x200");
});

test("the measures of a WebP file with an extended head are read", () => {
  const file = Buffer.alloc(30);
  file.write("RIFF", 0);
  file.write("WEBPVP8X", 8);
  file.writeUIntLE(70_000 - 1, 24, 3);
  file.writeUIntLE(200 - 1, 27, 3);

  expect(sidesOf(file)).toBe("image/webp 70000x200");
});

test("the measures of BMP files are read, also where they lie upside down", () => {
  const file = Buffer.alloc(54);
  file.write("BM");
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(300, 18);
  file.writeInt32LE(-200, 22);

  expect(sidesOf(file)).toBe("image/bmp 300x200");
});

test.each([true, false])(
  "the measures of TIFF files are read, little end first: %p",
  (isLittle) => {
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
  },
);

test.each(["BM", "II*\0", "MM\0*\xff\xff\xff\xff", "RIFF....WEBPVP8 "])(
  "a file that breaks off has no measures: %j",
  (head) => {
    expect(sidesOf(Buffer.from(head, "latin1"))).toEndWith(" undefinedxundefined");
  },
);
