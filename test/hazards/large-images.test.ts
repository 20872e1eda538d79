import { expect, test } from "bun:test";
import { heapStats } from "bun:jsc";
import { openBooks } from "#test/books.ts";
import { times } from "#test/seed.ts";
import { watchSteps } from "./steps.ts";
import { askWith, openCallers, openInFront, openOthers } from "./large-images.ts";

const CALLS = 10;
const PICTURE_BYTES = times(6_000_000, 15_000_000);
/** Several times as much as a step may process. */
const STEPPED_BYTES = times(3_000_000, PICTURE_BYTES);
/** Half of them hold their picture in base64, and half as it is. */
const QUESTION_BYTES = (CALLS / 2) * PICTURE_BYTES * (1 + 4 / 3);

/** What this thread holds, which is the gateway's. */
async function heldBytes(): Promise<number> {
  for (let each = 0; each < 4; each++) {
    Bun.gc(true);
    await Bun.sleep(20);
  }
  return heapStats().heapSize;
}

test("ten clients with large images do not block other calls, and each image is in memory once while they wait", async () => {
  using large = await openCallers();
  using small = await openOthers();
  await using gateway = await openInFront(large, small);
  using books = openBooks(gateway.dataDir);
  // What is loaded and compiled once is not theirs.
  await askWith({ pictureBytes: 1_000, calls: CALLS }, { gateway, large, small });
  const before = await heldBytes();
  let held = 0;

  const load = { pictureBytes: PICTURE_BYTES, calls: CALLS };
  const answered = await askWith(load, { gateway, large, small }, async () => {
    held = await heldBytes();
  });

  expect(answered.sizes.length).toBe(CALLS);
  expect(Math.min(...answered.sizes)).toBeGreaterThan((PICTURE_BYTES * 4) / 3);
  expect(answered.small.asking.length).toBeGreaterThan(0);
  expect(answered.small.waiting.length).toBeGreaterThan(0);
  expect(answered.small.answering.length).toBeGreaterThan(0);
  expect((held - before) / QUESTION_BYTES).toBeLessThan(1.15);
  expect((await heldBytes()) - before).toBeLessThan(PICTURE_BYTES / 2);
  expect(await books.whenSettled()).toEqual([]);
}, 120_000);

test("no synchronous step processes more than half a megabyte, at any image size", async () => {
  using large = await openCallers();
  using small = await openOthers();
  await using gateway = await openInFront(large, small);
  using steps = watchSteps();

  const load = { pictureBytes: STEPPED_BYTES, calls: 2 };
  const { sizes } = await askWith(load, { gateway, large, small });

  expect(Math.min(...sizes)).toBeGreaterThan((STEPPED_BYTES * 4) / 3);
  // Of a step that nothing noted there would be none.
  expect(steps.largest.sizeBytes).toBeGreaterThan(32 * 1024);
  expect(steps.largest.sizeBytes).toBeLessThanOrEqual(512 * 1024);
}, 120_000);
