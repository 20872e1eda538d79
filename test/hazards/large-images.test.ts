import { expect, test } from "bun:test";
import { heapStats } from "bun:jsc";
import { openBooks } from "#test/books.ts";
import { openInFront, openOthers } from "./large-images.ts";

const CALLS = 10;
const PICTURE_BYTES = 15_000_000;
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

test("ten callers with pictures of 20 MB keep nobody from being answered, and are held once while they wait", async () => {
  using others = await openOthers();
  await using gateway = await openInFront(others);
  using books = openBooks(gateway.dataDir);
  const ask = async (pictureBytes: number) => {
    others.tell({ do: "ask", url: gateway.url, count: CALLS, pictureBytes });
    await others.when("arrived");
    const held = await heldBytes();
    others.tell({ do: "answer", pictureBytes });
    return { held, ...(await others.when("answered")) };
  };
  // What is loaded and compiled once is not theirs.
  await ask(1_000);
  const before = await heldBytes();

  const { held, small, sizes } = await ask(PICTURE_BYTES);

  expect(sizes.length).toBe(CALLS);
  expect(Math.min(...sizes)).toBeGreaterThan((PICTURE_BYTES * 4) / 3);
  // Of two callers of small calls, who wait for each answer before the next question.
  expect(small.asking.length).toBeGreaterThan(0);
  expect(small.waiting.length).toBeGreaterThan(0);
  expect(small.answering.length).toBeGreaterThan(0);
  expect((held - before) / QUESTION_BYTES).toBeLessThan(1.15);
  expect((await heldBytes()) - before).toBeLessThan(PICTURE_BYTES / 2);
  expect(await books.whenSettled()).toEqual([]);
}, 120_000);
