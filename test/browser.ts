import { afterAll, test } from "bun:test";
import { chromium, type Browser, type Page } from "playwright-core";

/**
 * The Chromium of this machine; SLUICE_TEST_CHROMIUM names another one than is
 * found by name. The first has no window, and takes a third of the processor time.
 */
export const CHROMIUM =
  process.env["SLUICE_TEST_CHROMIUM"] ??
  ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
    .map((name) => Bun.which(name))
    .find((path) => path !== null);

/**
 * Tests of what a person does in a browser, on a page of a telephone's size; skipped where there is
 * none. Those of a file share a browser, but neither cookies nor storage.
 */
export function testInBrowser(title: string, run: (page: Page) => Promise<void>): void {
  if (CHROMIUM === undefined) {
    test.skip(`skipped: Chromium is not installed: ${title}`, () => undefined);
    return;
  }
  test(title, () => inBrowser(CHROMIUM, run), LIMIT_MS);
  afterAll(closeShared);
}

/** For the tests of a file that share a browser; undefined where there is none. */
export async function openBrowser(): Promise<Browser | undefined> {
  if (CHROMIUM === undefined) return undefined;
  return await launch(CHROMIUM);
}

/** The console of these sources, for a gateway to serve. Quick if it is built already. */
export async function buildConsole(): Promise<void> {
  const built = Bun.spawn([process.execPath, "console/build.ts"], { stderr: "pipe" });
  if ((await built.exited) !== 0) throw new Error(await new Response(built.stderr).text());
}

export function launch(executablePath: string): Promise<Browser> {
  // Its sandbox wants rights that containers do not give; all it opens is pages of ours.
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

const LIMIT_MS = 60_000;

/** Starting one takes longer than most tests in it. */
let shared: Browser | undefined;

async function inBrowser(
  executablePath: string,
  run: (page: Page) => Promise<void>,
): Promise<void> {
  if (shared?.isConnected() !== true) shared = await launch(executablePath);
  const context = await shared.newContext({ viewport: { width: 390, height: 844 } });
  try {
    await run(await context.newPage());
  } finally {
    await context.close();
  }
}

async function closeShared(): Promise<void> {
  const browser = shared;
  shared = undefined;
  await browser?.close();
}
