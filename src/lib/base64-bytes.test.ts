import { expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import { Base64Bytes } from "./base64-bytes.ts";

function read(bytes: Base64Bytes, start: number, end: number): Buffer {
  return Buffer.concat([...bytes.pieces({ start, end })]);
}

test("any part of the decoded bytes is read without the rest", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(200), fc.nat(200), (all, one, other) => {
      const bytes = new Base64Bytes(Buffer.from(all).toString("base64"));
      const start = Math.min(one, other, all.length);
      const end = Math.min(Math.max(one, other), all.length);
      return (
        bytes.sizeBytes === all.length &&
        read(bytes, start, end).equals(Buffer.from(all.slice(start, end)))
      );
    }),
    { seed: SEED },
  );
});

test("long content is read in steps, with and without line breaks", () => {
  const all = Uint8Array.from({ length: 200_000 }, (_, at) => at % 251);
  const lines = Buffer.from(all).toString("base64").replaceAll(/.{76}/g, "$&\r\n");
  const bytes = new Base64Bytes(lines);

  const pieces = [...bytes.pieces({ start: 1, end: 199_999 })];

  expect(pieces.length).toBeGreaterThan(3);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(48 * 1024);
  expect(Buffer.concat(pieces).equals(all.slice(1, 199_999))).toBe(true);
});
