import { Buffer } from "node:buffer";
import { describe, expect, test } from "bun:test";
import { sourceOf } from "./media.ts";

describe("a data URL without base64", () => {
  test.each<[string, string, readonly number[]]>([
    ["text", "data:text/plain,a%20b", [0x61, 0x20, 0x62]],
    ["bytes that are no text", "data:image/gif,GIF%01%00%80%fF", [71, 73, 70, 1, 0, 0x80, 0xff]],
    ["signs that need no escape", "data:text/plain,%C3%BC\u00fc", [0xc3, 0xbc, 0xc3, 0xbc]],
    ["a sign of percent that escapes nothing", "data:text/plain,5%,%4", [53, 37, 44, 37, 52]],
    ["an escape at its end", "data:text/plain,%41", [0x41]],
    ["nothing", "data:text/plain,", []],
  ])("is decoded: %s", (_what, url, bytes) => {
    expect(sourceOf(url).source).toEqual({
      kind: "data",
      base64: Buffer.from(bytes).toString("base64"),
    });
  });

  test("that is truncated before its content stays a link", () => {
    expect(sourceOf("data:image/gif").source).toEqual({ kind: "url", url: "data:image/gif" });
  });
});
