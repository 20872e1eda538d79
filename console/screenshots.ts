import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { CHROMIUM, launch } from "../test/browser.ts";
import { seedConsole } from "../test/console/console-seed.ts";
import { askWith, logIn, openWithRoot, ROOT } from "../test/accounts.ts";

/**
 * Makes the pictures of docs/console.md from a new gateway with seeded data:
 * `bun console/build.ts && bun console/screenshots.ts`.
 */
const FOLDER = join(import.meta.dir, "..", "docs", "images");
const SHOTS = [
  { name: "logs", path: "/logs" },
  { name: "logs-dark", path: "/logs", theme: "dark" },
  { name: "keys", path: "/keys" },
  { name: "playground", path: "/playground?model=gpt-4o-mini" },
] as const;

if (CHROMIUM === undefined)
  throw new Error("Install Chromium, or name it in SLUICE_TEST_CHROMIUM.");
mkdirSync(FOLDER, { recursive: true });
await using gateway = await openWithRoot();
const login = await logIn(gateway.url, ROOT);
await seedConsole({ gateway, root: askWith(gateway.url, login) });
const browser = await launch(CHROMIUM);
try {
  for (const { name, path, ...look } of SHOTS) {
    const page = await browser.newPage({ viewport: { width: 1_200, height: 640 } });
    await enter(page, { theme: "light", language: "en", ...look });
    await page.goto(gateway.url + path);
    await page.locator("#main h1").waitFor();
    await page.locator(".skeleton, [aria-busy=true]").first().waitFor({ state: "detached" });
    await page.screenshot({ path: join(FOLDER, `console-${name}.png`) });
    await page.close();
  }
} finally {
  await browser.close();
}

async function enter(
  page: Page,
  { theme, language }: { readonly theme: string; readonly language: string },
): Promise<void> {
  const [name = "", value = ""] = (login["cookie"] ?? "").split("=");
  await page.context().addCookies([{ name, value, url: gateway.url }]);
  await page.addInitScript(
    `localStorage.setItem("sluice.theme", "${theme}"); localStorage.setItem("sluice.language", "${language}");`,
  );
}
