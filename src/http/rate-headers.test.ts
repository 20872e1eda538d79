import { expect, test } from "bun:test";
import { rateHeaders } from "./rate-headers.ts";

const NOW = Date.parse("2030-01-01T00:00:00.250Z");
const requests = { limit: 60, remaining: 59, resetMs: 1_000 };
const tokens = { limit: 10_000, remaining: 4_000, resetMs: 96_000.4 };

test("a client gets the remaining limits in the common headers and in those of the draft", () => {
  expect(rateHeaders({ requests, tokens }, undefined, NOW)).toEqual({
    "x-ratelimit-limit-requests": "60",
    "x-ratelimit-remaining-requests": "59",
    "x-ratelimit-reset-requests": "1s",
    "x-ratelimit-limit-tokens": "10000",
    "x-ratelimit-remaining-tokens": "4000",
    "x-ratelimit-reset-tokens": "1m36.001s",
    "ratelimit-policy": '"requests";q=60;w=60, "tokens";q=10000;w=60;qu="tokens"',
    ratelimit: '"requests";r=59;t=1, "tokens";r=4000;t=97',
  });
});

test("a style's own headers have the time of the reset in seconds, rounded up", () => {
  const headers = rateHeaders({ requests }, "some-style", NOW);

  expect(headers).toMatchObject({
    "some-style-requests-limit": "60",
    "some-style-requests-remaining": "59",
    "some-style-requests-reset": "2030-01-01T00:00:02Z",
  });
  expect(Object.keys(headers).some((name) => name.includes("tokens"))).toBe(false);
});

test.each([
  [0, "0ms"],
  [0.2, "1ms"],
  [999, "999ms"],
  [1_500, "1.5s"],
  [60_000, "1m0s"],
  [360_000, "6m0s"],
])("%p ms are written as %s", (resetMs, written) => {
  const headers = rateHeaders({ requests: { ...requests, resetMs } }, undefined, NOW);

  expect(headers["x-ratelimit-reset-requests"]).toBe(written);
});

test("a key without limits gets no rate limit headers", () => {
  expect(rateHeaders({}, "some-style", NOW)).toEqual({});
});
