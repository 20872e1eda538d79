import { expect, test } from "bun:test";

import { openHttpReader } from "./http-reader.ts";

const FIXED = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const CHUNKED =
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
  "5\r\nhello\r\n7;note=x\r\n, world\r\n0\r\nx-trailer: 1\r\n\r\n";
const EMPTY = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
const BARE_REQUEST = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";

test("bodies are read completely, with any split of the bytes", () => {
  const wire = FIXED + CHUNKED + EMPTY + BARE_REQUEST + FIXED;

  for (let sizeBytes = 1; sizeBytes <= wire.length; sizeBytes++) {
    expect(bodies(wire, sizeBytes)).toEqual(["hello", "hello, world", "", "", "hello"]);
  }
});

test("a truncated message never ends", () => {
  expect(bodies(FIXED.slice(0, -1), 7)).toEqual([]);
  expect(bodies(CHUNKED.slice(0, -2), 7)).toEqual([]);
});

test("a response whose end cannot be determined is refused", () => {
  expect(() => bodies("HTTP/1.1 200 OK\r\n\r\nhello", 64)).toThrow("neither a length nor chunks");
});

test("a chunk longer than its stated size is refused", () => {
  const wire = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n";

  expect(() => bodies(wire, 64)).toThrow("longer than it says");
});

test("a head without an end is refused above the size limit", () => {
  expect(() => bodies(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(20_000)}`, 1024)).toThrow("too long");
});

function bodies(wire: string, pieceBytes: number): string[] {
  const found: string[] = [];
  let body = "";
  const push = openHttpReader({
    head: () => (body = ""),
    body: (bytes, from, to) => (body += bytes.toString("latin1", from, to)),
    end: () => found.push(body),
  });
  const bytes = Buffer.from(wire, "latin1");
  for (let at = 0; at < bytes.length; at += pieceBytes) push(bytes.subarray(at, at + pieceBytes));
  return found;
}
