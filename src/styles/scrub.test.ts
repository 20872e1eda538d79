import { describe, expect, test } from "bun:test";
import { scrub } from "./scrub.ts";

describe("an upstream's words lose what is not the caller's to see", () => {
  test.each([
    [
      "Incorrect API key provided: sk-abcdefgh12345678. Try again.",
      "Incorrect API key provided: [key]. Try again.",
    ],
    ["Incorrect API key provided: invalid-*****2345.", "Incorrect API key provided: [key]."],
    [
      'Post "https://10.0.0.7:8443/v1/chat": dial tcp 10.0.0.7:8443: refused',
      "Post [link] dial tcp [host]: refused",
    ],
    [
      "lookup vllm-7.prod.internal on 192.168.1.1:53: no such host",
      "lookup [host] on [host]: no such host",
    ],
    ["see platform.vendor.com/account/keys for more", "see [host] for more"],
    [
      "Rate limit reached in organization org-AbCdEf123456 on tokens",
      "Rate limit reached in organization [key] on tokens",
    ],
    ["token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc is bad", "token [key] is bad"],
    ["write to ops@vendor.example for access", "write to [address] for access"],
    ["id 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "id [key]"],
    ["localhost:11434 is down", "[host] is down"],
  ])("%s", (said, shown) => {
    expect(scrub(said)).toBe(shown);
  });
});

describe("and keep the rest", () => {
  test.each([
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "messages.1.content.0.text: Field required",
    "request (2009 tokens) exceeds the available context size (512 tokens), try increasing it",
    "The model `gpt-4.1-mini-2025-04-14` does not support response_format.json_schema.",
    "unknown variant `image_url`, expected `text` at line 1 column 335",
  ])("%s", (said) => {
    expect(scrub(said)).toBe(said);
  });
});

test("a long text is cut, and costs no more than a short one", () => {
  const long = scrub(`${"very ".repeat(2_000_000)}long`);

  expect([long.length <= 300, long.endsWith("…")]).toEqual([true, true]);
  expect(scrub("a".repeat(5_000_000)).length).toBeLessThanOrEqual(300);
});
