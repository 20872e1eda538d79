import { expect, test } from "bun:test";
import { credential } from "#core/channel.ts";
import { withoutOwn } from "./redact-own.ts";

const url = new URL("https://models.corp.example:8443/v1/chat/completions");

function shown(text: string, secret: string, hidesAddress = false): string {
  return withoutOwn(text, {
    credential: credential(secret),
    url,
    ...(hidesAddress ? { hidesAddress: true } : {}),
  });
}

test.each([
  ["you sent 9f86d081884c7d65 as key", "9f86d081884c7d65", "you sent [key] as key"],
  ["x9f86d081884c7d65y", "9f86d081884c7d65", "x[key]y"],
  // One that is a word is only taken out where it stands alone.
  ["the secret is secretive: secret", "secret", "the [key] is secretive: [key]"],
  // Half of a pair of keys.
  ["AKLTabcdefgh1234 is unknown", "AKLTabcdefgh1234:c2VjcmV0LXNlY3JldA==", "[key] is unknown"],
  ['{"said":"a\\"b-long-enough-key"}', 'a"b-long-enough-key', '{"said":"[key]"}'],
  ["?key=a%2Fb%2Bc-long-enough-key", "a/b+c-long-enough-key", "?key=[key]"],
  ["model call_9f86d081884c7d659a2f", "sk-something-else-7", "model call_9f86d081884c7d659a2f"],
])("%s", (text, secret, expected) => {
  expect(shown(text, secret)).toBe(expected);
});

test("the address is removed if the operator configured it", () => {
  const text = "POST https://models.corp.example:8443/v1: models.corp.example timed out";

  expect(shown(text, "k", true)).toBe("POST https://[host]/v1: [host] timed out");
  expect(shown(text, "k")).toBe(text);
});

test("without a credential nothing is removed", () => {
  expect(withoutOwn("as it is", { credential: undefined, url })).toBe("as it is");
});
