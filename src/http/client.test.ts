import { expect, test } from "bun:test";
import { readClient } from "./client.ts";

const PROXIES = ["10.0.0.0/8"];

function addressOf(forwarded: string | undefined, peer: string | undefined): string | undefined {
  const headers = new Headers(forwarded === undefined ? {} : { "x-forwarded-for": forwarded });
  return readClient(headers, peer, PROXIES).address;
}

test.each([
  ["only a trusted proxy's header counts", "10.9.9.9", "198.51.100.1", "198.51.100.1"],
  ["a trusted proxy's header has the client", "198.51.100.7", "10.0.0.1", "198.51.100.7"],
  [
    "entries of the client itself are further left and ignored",
    "1.1.1.1, 8.8.8.8",
    "10.0.0.1",
    "8.8.8.8",
  ],
  ["several proxies may be chained", "8.8.8.8, 10.0.0.3, 10.0.0.2", "10.0.0.1", "8.8.8.8"],
  ["among proxies the first one asked", "10.0.0.3, 10.0.0.2", "10.0.0.1", "10.0.0.3"],
  ["a proxy without the header is the client", undefined, "10.0.0.1", "10.0.0.1"],
  ["a port is no part of it", "8.8.8.8:4711", "10.0.0.1", "8.8.8.8"],
  ["nor are brackets", "[2001:db8::1]:4711", "10.0.0.1", "2001:db8::1"],
  ["a proxy may come as IPv6", "8.8.8.8", "::ffff:10.0.0.1", "8.8.8.8"],
  ["an invalid address is ignored", "8.8.8.8, unknown", "10.0.0.1", "unknown"],
])("%s", (_, forwarded, peer, expected) => {
  expect(addressOf(forwarded, peer)).toBe(expected);
});

test("a connection without an address has none, with any headers", () => {
  expect(addressOf("10.0.0.1", undefined)).toBeUndefined();
});

test("only a trusted proxy's header shows that the client's connection is encrypted", () => {
  const headers = new Headers({ "x-forwarded-proto": "https" });

  expect(readClient(headers, "10.0.0.1", PROXIES).isSecure).toBe(true);
  expect(readClient(headers, "198.51.100.1", PROXIES).isSecure).toBe(false);
  expect(readClient(new Headers(), "10.0.0.1", PROXIES).isSecure).toBe(false);
});
