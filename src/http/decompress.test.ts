import { describe, expect, test } from "bun:test";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { GatewayError } from "#core/error.ts";
import { decompress } from "./decompress.ts";

const TEXT = Buffer.from(`{"model":"m","text":"${"Grüße ".repeat(20)}"}`);

describe.each<[string, (bytes: Buffer) => Buffer]>([
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
  ["zstd", zstdCompressSync],
])("a body in %s", (coding, compress) => {
  test("is read", async () => {
    expect(Buffer.from(await decompress(compress(TEXT), coding, 10_000))).toEqual(TEXT);
  });

  test("that expands above the limit is refused before it is expanded", async () => {
    const bomb = compress(Buffer.alloc(20_000_000));

    expect(await codeOf(decompress(bomb, coding, 1_000))).toBe("too_large");
  });

  test("with other content is refused", async () => {
    expect(await codeOf(decompress(TEXT, coding, 10_000))).toBe("invalid_request");
  });
});

test("an unknown content encoding is refused", async () => {
  expect(await codeOf(decompress(TEXT, "gzip, gzip", 10_000))).toBe("unsupported_media_type");
});

async function codeOf(running: Promise<unknown>): Promise<string> {
  return await running.then(
    () => "",
    (cause: unknown) => GatewayError.from(cause).code,
  );
}
