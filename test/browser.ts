import { test } from "bun:test";
import { chromium, type Browser, type Page } from "playwright-core";

/**
 * The Chromium of this machine; SLUICE_TEST_CHROMIUM names another one than is
 * found by name.
 */
export const CHROMIUM =
  process.env["SLUICE_TEST_CHROMIUM"] ??
  ["chromium", "chromium-browser", "google-chrome"]
    .map((name) => Bun.which(name))
    .find((path) => path !== null);

/** Tests of what a person does in a browser, on a page of a telephone's size; skipped where there is none. */
export function testInBrowser(title: string, run: (page: Page) => Promise<void>): void {
  if (CHROMIUM === undefined) {
    test.skip(`skipped: Chromium is not installed: ${title}`, () => undefined);
    return;
  }
  test(title, () => inBrowser(CHROMIUM, run), LIMIT_MS);
}

const LIMIT_MS = 60_000;

async function inBrowser(
  executablePath: string,
  run: (page: Page) => Promise<void>,
): Promise<void> {
  const browser = await launch(executablePath);
  try {
    await run(await browser.newPage({ viewport: { width: 390, height: 844 } }));
  } finally {
    await browser.close();
  }
}

export function launch(executablePath: string): Promise<Browser> {
  // Its sandbox wants rights that containers do not give; all it opens is pages of ours.
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}
