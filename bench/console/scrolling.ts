import type { Page } from "playwright-core";
import type { ConsoleSite } from "./site.ts";

export interface Scrolling {
  /** Times between frames, in milliseconds. */
  readonly frames: readonly number[];
  /** Frames that were late after a late one. */
  readonly lateInARow: number;
}

const ROWS = 10_000;
/** Faster than anyone reads: 1,000 rows in a second. */
const STEP_PX = 533;
const ROW_PX = 32;
const FRAME_MS = 1_000 / 60;

/** Times between frames while the log scrolls: first while its pages load, then through all rows. */
export async function measureScrolling(
  site: ConsoleSite,
): Promise<{ readonly loading: Scrolling; readonly loaded: Scrolling }> {
  const page = await site.open({ isLoggedIn: true });
  await page.goto(`${site.url}/logs`);
  await page.locator("[data-row]").first().waitFor();
  const loading = await scroll(page);
  await page.evaluate(`document.querySelector(${JSON.stringify(BOX)}).scrollTop = 0`);
  const loaded = await scroll(page);
  await page.context().close();
  return { loading, loaded };
}

const BOX = "#main [role=region]";

async function scroll(page: Page): Promise<Scrolling> {
  const frames = await page.evaluate<readonly number[]>(
    `new Promise((done) => {
      const box = document.querySelector(${JSON.stringify(BOX)});
      const frames = [];
      let last;
      const step = (now) => {
        if (last !== undefined) frames.push(now - last);
        last = now;
        box.scrollTop += ${STEP_PX};
        // More rows follow at the end as long as there are any.
        if (box.scrollTop < ${(ROWS - 100) * ROW_PX}) requestAnimationFrame(step);
        else done(frames);
      };
      requestAnimationFrame(step);
    })`,
  );
  return {
    frames,
    lateInARow: frames.filter((each, at) => isLate(each) && isLate(frames[at - 1] ?? 0)).length,
  };
}

/** A frame that came only at the time of the one after it. */
function isLate(ms: number): boolean {
  return ms > FRAME_MS * 1.5;
}
