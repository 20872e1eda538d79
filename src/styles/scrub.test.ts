import { describe, expect, test } from "bun:test";
import { hiddenLinksIn, scrub } from "./scrub.ts";

describe("an upstream's message loses data that is not the client's", () => {
  test.each([
    [
      "Incorrect API key provided: sk-abcdefgh12345678. Try again.",
      "Incorrect API key provided: [key]. Try again.",
    ],
    ["Incorrect API key provided: invalid-*****2345.", "Incorrect API key provided: [key]."],
    [
      'Post "https://10.0.0.7:8443/v1/chat": dial tcp 10.0.0.7:8443: refused',
      'Post "[link]": dial tcp [host]: refused',
    ],
    [
      "lookup vllm-7.prod.internal on 192.168.1.1:53: no such host",
      "lookup [host] on [host]: no such host",
    ],
    ["http://vllm-7:8000/v1 is down, and so is vllm-8:8000", "[link] is down, and so is [host]"],
    ["connect [fd00::7]:8443 failed", "connect [host] failed"],
    ["connect http://[fd00::7]:8443/v1 failed", "connect [link] failed"],
    ["see https://me:password@proxy.example.com/x", "see [link]"],
    [
      "GET https://vendor.example/v1/models?key=AIzaSyA0123456789abcdef&alt=sse failed",
      "GET https://vendor.example/v1/models?key=[key]&alt=sse failed",
    ],
    [
      "Rate limit reached in organization org-AbCdEf123456 on tokens",
      "Rate limit reached in organization [key] on tokens",
    ],
    [
      "arn:aws:bedrock:us-east-1:123456789012:inference-profile/x is not authorized",
      "[key] is not authorized",
    ],
    ["token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc is bad", "token [key] is bad"],
    ["write to ops@vendor.example for access", "write to [address] for access"],
    ["key 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "key [key]"],
    ["localhost:11434 is down", "[host] is down"],
  ])("%s", (said, shown) => {
    expect(scrub(said)).toBe(shown);
  });
});

/** As vendors really said it. */
const REAL = [
  "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  "messages.1.content.0.text: Field required",
  "messages.3.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes",
  "messages.0.content.1.image.source.base64.data: The image was specified using the image/png media type, but the image appears to be a image/jpeg image",
  "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01A09q90qw90lq917835lq9.",
  "No tool call found for function call output with call_id call_9f86d081884c7d659a2feaa0c55ad015.",
  "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 64 instead.",
  "Item 'rs_68af4030592c81938ec0a5fbab4a3e9f05438e46b5f69a3b' of type 'reasoning' was provided without its required following item.",
  "Previous response with id 'resp_68af4030592c81938ec0a5fbab4a3e9f' not found.",
  "tools.0: Input tag 'web_search_20250305' found using 'type' does not match any of the expected tags: 'bash_20250124', 'custom', 'text_editor_20250728'",
  "'claude-3-5-sonnet-20241022' does not support effort; use claude-opus-4-5-20251101-v1:0",
  "The model `gpt-4.1-mini-2025-04-14` does not support response_format.json_schema.",
  "The model accounts/fireworks/models/llama4-maverick-instruct-basic-2025 is not deployed",
  "model: gemini-1.5-pro@001 and claude-3-5-sonnet-v2@20241022 are retired",
  "Publisher Model `projects/PROJECT/locations/us-central1/publishers/google/models/gemini-does-not-exist` not found.",
  "Failed to download image from https://cdn.example.com/cats/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b.png?sig=abc&x=1.",
  "Error while downloading https://upload.wikimedia.org/wikipedia/commons/d/dd/Gfp-wisconsin.jpg. Upstream status code: 403.",
  "You can find your API key at https://platform.openai.com/account/api-keys.",
  "see platform.vendor.com/account/keys for more",
  "Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, expected `text` at line 1 column 335",
  "request (2009 tokens) exceeds the available context size (512 tokens), try increasing it",
  "Invalid parameter: 'user_location.approximate.country' of tool org-chart-lookup and user_profile_by_id",
  "tool call validation failed: parameters for tool structured_output did not match schema: errors: [`/age`: expected integer, but got string]",
  "File gs://bucket-1/videos/take-0001-of-0012.mp4 is not readable; see request req_011CSHoEeqs5C35K2UUqR7Fy",
  "Field 'temperature': [json.exception.type_error.302] type must be number, but is string",
];

describe("an upstream's message keeps the rest", () => {
  test.each(REAL)("%s", (said) => {
    expect(scrub(said)).toBe(said);
  });
});

test("a long text is truncated, and takes no more time than a short one", () => {
  const long = scrub(`${"very ".repeat(2_000_000)}long`);

  expect([long.length <= 1_000, long.endsWith("…")]).toEqual([true, true]);
  expect(scrub("a".repeat(5_000_000)).length).toBeLessThanOrEqual(1_000);
  for (const each of ["a@", "a.", "http://", "1.", "a-b@c-", "://"]) {
    expect(scrub(each.repeat(1_000_000)).length).toBeLessThanOrEqual(1_000);
  }
});

describe("parts of the request stay in a message about it", () => {
  const request =
    '{"a":"http://localhost:3000/cat.png","b":"ops@corp.example","c":"http://[fd00::7]/x","d":"https://me:pw@a.example"}';
  const isSent = (piece: string): boolean => request.includes(piece);

  test.each([
    ["cannot fetch http://localhost:3000/cat.png.", "cannot fetch http://localhost:3000/cat.png."],
    ["ops@corp.example is no user", "ops@corp.example is no user"],
    ["cannot fetch http://localhost:4000/cat.png", "cannot fetch [link]"],
    ["dial localhost:3000: refused, 10.0.0.7:80", "dial localhost:3000: refused, [host]"],
    ["connect http://[fd00::7]/x, [fd00::8]:443", "connect http://[fd00::7]/x, [host]"],
  ])("%s", (said, shown) => {
    expect(scrub(said, isSent)).toBe(shown);
  });

  test("until a stream ends only those links are kept that would be removed", () => {
    expect(hiddenLinksIn(`see https://vendor.example/a and ${request} ://`)).toEqual([
      "http://localhost:3000/cat.png",
      "http://[fd00::7]/x",
      "https://me:pw@a.example",
    ]);
  });
});
