import { expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import { readReturnPath } from "./return-path.ts";

test.each([
  [null, "/"],
  ["/", "/"],
  ["/console/keys?page=2#top", "/console/keys?page=2#top"],
  ["/a/../b", "/b"],
  ["/?next=https://evil.example", "/?next=https://evil.example"],
])("%p redirects to %p", (given, path) => {
  expect(readReturnPath(given)).toBe(path);
});

test.each([
  "",
  "console",
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  " //evil.example",
  "/..//evil.example",
  "/.//evil.example",
  "/%0a/\r\nset-cookie: a=b",
  "https://evil.example",
  "https:evil.example",
  "javascript:alert(1)",
  "data:text/html,x",
  `/${"a".repeat(1_024)}`,
])("%p is refused as a redirect", (given) => {
  expect(() => readReturnPath(given)).toThrow(GatewayError);
});
