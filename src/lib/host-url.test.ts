import { expect, test } from "bun:test";
import { hostUrl } from "./host-url.ts";

test.each([
  ["127.0.0.1", "http://127.0.0.1:8080"],
  ["gate.example", "http://gate.example:8080"],
  ["::1", "http://[::1]:8080"],
  ["::", "http://[::]:8080"],
  ["[::1]", "http://[::1]:8080"],
])("the URL of %s is %s", (host, url) => {
  expect(hostUrl(host, 8_080)).toBe(url);
  expect(new URL(url).port).toBe("8080");
});
