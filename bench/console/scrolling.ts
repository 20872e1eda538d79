import type { Page } from "playwright-core";
import type { ConsoleSite } from "./site.ts";

export interface Scrolling {
  /** Times between frames, in milliseconds. */
  readonly frames: readonly number[];
  /** Frames that were late after a late one. */
  readonly lateInARow: number;
}

const ROWS = 10_000;
/** Of a wheel that is turned fast: 375 rows in a second, 12 screens. */
const STEP_PX = 200;
const ROW_PX = 32;
/** Frames without scrolling, which are late only if the machine is busy. */
const STILL_FRAMES = 300;
const FRAME_MS = 1_000 / 60;

/** Times between frames: at rest, while the log scrolls and its pages load, and through all rows. */
export async function measureScrolling(site: ConsoleSite): Promise<{
  readonly still: Scrolling;
  readonly loading: Scrolling;
  readonly loaded: Scrolling;
}> {
  const page = await site.open({ isLoggedIn: true });
  await page.goto(`${site.url}/logs`);
  await page.locator("[data-row]").first().waitFor();
  const still = await scroll(page, 0, `frames.length < ${STILL_FRAMES}`);
  const isOn = `box.scrollTop < ${(ROWS - 100) * ROW_PX}`;
  const loading = await scroll(page, STEP_PX, isOn);
  await page.evaluate(`document.querySelector(${JSON.stringify(BOX)}).scrollTop = 0`);
  const loaded = await scroll(page, STEP_PX, isOn);
  await page.context().close();
  return { still, loading, loaded };
}

const BOX = "#main [role=region]";

async function scroll(page: Page, stepPx: number, isOn: string): Promise<Scrolling> {
  const frames = await page.evaluate<readonly number[]>(
    `new Promise((done) => {
      const box = document.querySelector(${JSON.stringify(BOX)});
      const frames = [];
      let last;
      const step = (now) => {
        if (last !== undefined) frames.push(now - last);
        last = now;
        box.scrollTop += ${stepPx};
        // More rows follow at the end as long as there are any.
        if (${isOn}) requestAnimationFrame(step);
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
