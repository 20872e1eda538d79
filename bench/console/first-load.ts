import type { Page } from "playwright-core";
import { median } from "./figures.ts";
import type { ConsoleSite } from "./site.ts";

/** Lighthouse's profiles, applied by the browser: delay and rate of the network, and a slower processor. */
export const PROFILES = {
  desktop: { latency: 40, kilobits: 10_240, slowdown: 1 },
  mobile: { latency: 150, kilobits: 1_638.4, slowdown: 4 },
} as const;

export type Profile = keyof typeof PROFILES;

interface FirstLoad {
  readonly firstPaintMs: number;
  /** The page shows its data, and no later task of its script takes over 50 ms. */
  readonly interactiveMs: number;
  /** Script and style as they were transferred, compressed. */
  readonly kilobytes: number;
}

const ROUNDS = 3;
/** After the last long task, as Lighthouse waits. */
const QUIET_MS = 2_000;

/** Medians of first visits, with an empty cache. */
export async function measureFirstLoad(
  site: ConsoleSite,
  path: string,
  profile: Profile,
): Promise<FirstLoad> {
  const rounds: FirstLoad[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await load(site, path, profile));
  return {
    firstPaintMs: median(rounds.map((each) => each.firstPaintMs)),
    interactiveMs: median(rounds.map((each) => each.interactiveMs)),
    kilobytes: median(rounds.map((each) => each.kilobytes)),
  };
}

async function load(site: ConsoleSite, path: string, profile: Profile): Promise<FirstLoad> {
  const page = await site.open({ isLoggedIn: path !== "/login", isPhone: profile === "mobile" });
  const bytes = await throttle(page, profile);
  await page.addInitScript(WATCH);
  await page.goto(site.url + path);
  const { firstPaintMs, interactiveMs } = await page.evaluate<Omit<FirstLoad, "kilobytes">>(
    `globalThis.whenInteractive(${QUIET_MS})`,
  );
  const kilobytes = bytes() / 1_024;
  await page.context().close();
  return { firstPaintMs, interactiveMs, kilobytes };
}

/** Answers with the bytes of script and style until now. */
async function throttle(page: Page, profile: Profile): Promise<() => number> {
  const { latency, kilobits, slowdown } = PROFILES[profile];
  const session = await page.context().newCDPSession(page);
  const throughput = (kilobits * 1_000) / 8;
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency,
    downloadThroughput: throughput,
    uploadThroughput: throughput,
  });
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  const counted = new Set<string>();
  let bytes = 0;
  session.on("Network.responseReceived", ({ requestId, response }) => {
    if (/javascript|css/.test(response.mimeType)) counted.add(requestId);
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (counted.has(requestId)) bytes += encodedDataLength;
  });
  return () => bytes;
}

/** Runs in the page before its own scripts, and so is a text. */
const WATCH = `{
  let longEnd = 0;
  let drawn;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) longEnd = Math.max(longEnd, startTime + duration);
  }).observe({ type: "longtask", buffered: true });
  const look = () => {
    const isDrawn = document.querySelector("#main h1") !== null && document.querySelector(".skeleton, [aria-busy=true]") === null;
    if (isDrawn) drawn ??= performance.now();
    else drawn = undefined;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  globalThis.whenInteractive = async (quietMs) => {
    for (;;) {
      await new Promise((done) => setTimeout(done, 50));
      const at = Math.max(drawn ?? Infinity, longEnd);
      if (performance.now() - at > quietMs) {
        const [paint] = performance.getEntriesByName("first-contentful-paint");
        return { firstPaintMs: paint.startTime, interactiveMs: at };
      }
    }
  };
}`;
