import { expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import { readBearer, readCredential } from "./credential.ts";

function request(headers: Readonly<Record<string, string>>, query = ""): Request {
  return new Request(`http://gateway.test/v1/models${query}`, { headers });
}

function refusal(headers: Readonly<Record<string, string>>, query = ""): string {
  try {
    return `accepted ${readCredential(request(headers, query))}`;
  } catch (cause) {
    const error = GatewayError.from(cause);
    return `${error.fault.status}: ${error.message}`;
  }
}

test.each([
  ["Authorization", { authorization: "Bearer key-1" }, ""],
  ["Authorization in small letters", { authorization: "bearer key-1" }, ""],
  ["a key with spaces around it", { authorization: "Bearer   key-1  " }, ""],
  ["x-api-key", { "x-api-key": "key-1" }, ""],
  ["a vendor's header", { "x-goog-api-key": "key-1" }, ""],
  ["the query", {}, "?key=key-1"],
  ["the query, behind another parameter", {}, "?alt=sse&key=key-1"],
])("a key is read from %s", (_where, headers, query) => {
  expect(readCredential(request(headers, query))).toBe("key-1");
});

const PLACES: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
  [{ authorization: "Bearer KEY" }, ""],
  [{ "x-api-key": "KEY" }, ""],
  [{ "x-goog-api-key": "KEY" }, ""],
  [{}, "?key=KEY"],
];

function inPlace(place: number, key: string): readonly [Record<string, string>, string] {
  const [headers = {}, query = ""] = PLACES[place] ?? [];
  const filled = Object.entries(headers).map(([name, value]) => [name, value.replace("KEY", key)]);
  return [Object.fromEntries(filled), query.replace("KEY", key)];
}

for (let first = 0; first < PLACES.length; first++) {
  for (let second = first + 1; second < PLACES.length; second++) {
    const both = (a: string, b: string): readonly [Record<string, string>, string] => {
      const [headersA, queryA] = inPlace(first, a);
      const [headersB, queryB] = inPlace(second, b);
      return [{ ...headersA, ...headersB }, queryA + queryB];
    };

    test(`two different keys are refused, in places ${first} and ${second}`, () => {
      const told = refusal(...both("key-1", "key-2"));
      expect(told).toStartWith("401: ");
      expect(told).toContain("two different");
      expect(told).not.toContain("key-1");
      expect(told).not.toContain("key-2");
    });

    test(`the same key twice counts once, in places ${first} and ${second}`, () => {
      expect(refusal(...both("key-1", "key-1"))).toBe("accepted key-1");
    });
  }
}

test.each([
  ["no key at all", {}, ""],
  ["an empty key", { "x-api-key": "" }, ""],
  ["an empty key in the query", {}, "?key="],
  ["a header that only resembles one for keys", { "x-evil.api-key": "key-1" }, ""],
  ["a vendor's name that is too long", { [`x-${"a".repeat(33)}-api-key`]: "key-1" }, ""],
  ["another parameter whose name ends like it", {}, "?monkey=key-1"],
])("%s is refused, with the supported places for a key", (_what, headers, query) => {
  expect(refusal(headers, query)).toStartWith("401: No API key");
});

test("another scheme than Bearer is refused for keys, and is not read as a user's token", () => {
  expect(refusal({ authorization: "Basic a2V5" })).toStartWith("401: The Authorization header");
  expect(readBearer(request({ authorization: "Basic a2V5" }))).toBeUndefined();
  expect(readBearer(request({ authorization: "Bearer token-1" }))).toBe("token-1");
  expect(readBearer(request({}))).toBeUndefined();
});
