import { expect, test } from "bun:test";
import { Downloads } from "./downloads.ts";

const [ALICE, BOB, CAROL] = [1, 2, 3];
const rateLimited = expect.objectContaining({
  code: "rate_limited",
  message: "This API key downloads too many files at once. Retry later.",
  retryAfterMs: 2_000,
});
const overloaded = expect.objectContaining({
  code: "overloaded",
  message: "Too many concurrent file downloads. Retry later.",
  retryAfterMs: 2_000,
});

test("a key may download as many files at once as its limit allows, independent of other keys", () => {
  const downloads = new Downloads({ downloads: 10, keyDownloads: 2 });
  downloads.enter(ALICE);
  downloads.enter(BOB);
  const second = downloads.enter(ALICE);
  expect(() => downloads.enter(ALICE)).toThrow(rateLimited);

  second[Symbol.dispose]();
  downloads.enter(ALICE);
  expect(() => downloads.enter(ALICE)).toThrow(rateLimited);
  expect(downloads.count).toBe(3);
});

test("all keys together may download as many files at once as the gateway allows", () => {
  const downloads = new Downloads({ downloads: 2, keyDownloads: 2 });
  downloads.enter(ALICE);
  const ofBob = downloads.enter(BOB);
  expect(() => downloads.enter(CAROL)).toThrow(overloaded);
  expect(downloads.count).toBe(2);

  ofBob[Symbol.dispose]();
  expect(downloads.count).toBe(1);
  downloads.enter(CAROL);
});

test("a download that ends twice is counted once", () => {
  const downloads = new Downloads({ downloads: 10, keyDownloads: 2 });
  const first = downloads.enter(ALICE);
  downloads.enter(ALICE);
  first[Symbol.dispose]();
  first[Symbol.dispose]();

  expect(downloads.count).toBe(1);
  downloads.enter(ALICE);
  expect(() => downloads.enter(ALICE)).toThrow(rateLimited);
});

test("a key whose downloads ended has its whole limit again", () => {
  const downloads = new Downloads({ downloads: 10, keyDownloads: 1 });
  for (let times = 0; times < 3; times++) downloads.enter(ALICE)[Symbol.dispose]();

  downloads.enter(ALICE);
  expect(() => downloads.enter(ALICE)).toThrow(rateLimited);
});
