import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { consoleTests, INNER_PATHS, visit, whenDrawn } from "./console-place.ts";
import { seedConsole } from "./console-seed.ts";

const testConsole = consoleTests({ seed: seedConsole });

testConsole("no page has a serious violation of accessibility, in either theme", async (place) => {
  const page = await place.open();
  const found: string[] = [];
  for (const path of ["/login", "/setup", ...INNER_PATHS]) {
    await visit(page, place.gateway.url + path);
    found.push(...(await violationsOf(page, path)));
  }

  expect(found).toEqual([]);
});

testConsole(
  "no dialog has a serious violation of accessibility, in either theme",
  async (place) => {
    const page = await place.open();
    const found: string[] = [];
    await visit(page, `${place.gateway.url}/logs`);
    await page.locator("[data-row] a").first().click();
    await page.locator("dialog[open] h2").first().waitFor();
    await whenDrawn(page);
    found.push(...(await violationsOf(page, "a call")));
    await visit(page, `${place.gateway.url}/keys`);
    await page.locator("#main header button").first().click();
    await page.locator("dialog[open] input").first().waitFor();
    found.push(...(await violationsOf(page, "a new key")));
    await visit(page, place.gateway.url);
    await page.keyboard.press("Control+k");
    await page.locator("dialog[open] input").waitFor();
    found.push(...(await violationsOf(page, "the palette")));

    expect(found).toEqual([]);
  },
);

testConsole(
  "the pages of a telephone have no serious violation of accessibility",
  async (place) => {
    const page = await place.open({ width: 390 });
    const found: string[] = [];
    for (const path of ["/", "/logs", "/keys", "/channels", "/playground"]) {
      await visit(page, place.gateway.url + path);
      found.push(...(await violationsOf(page, path)));
    }

    expect(found).toEqual([]);
  },
);

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

const AXE = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

/** All rules in the light theme; in the dark one those of colours, which are all that differs. */
async function violationsOf(page: Page, where: string): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const light = await page.evaluate<readonly Violation[]>(
    `document.documentElement.dataset.theme = "light", axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)`,
  );
  const dark = await page.evaluate<readonly Violation[]>(
    `document.documentElement.dataset.theme = "dark", axe.run(document, { resultTypes: ["violations"], runOnly: ["color-contrast", "link-in-text-block"] }).then(({ violations }) => violations)`,
  );
  return [...light.map(describeIn("light")), ...dark.map(describeIn("dark"))].flat();

  function describeIn(theme: string) {
    return ({ id, impact, nodes }: Violation): readonly string[] =>
      impact === "serious" || impact === "critical"
        ? nodes.map(
            (node) =>
              `${where}, ${theme}: ${id}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ""}`,
          )
        : [];
  }
}
