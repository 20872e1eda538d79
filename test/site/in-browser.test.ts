import { afterAll, beforeAll, expect } from "bun:test";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { testInBrowser } from "#test/browser.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

let gateway: TestGateway;

beforeAll(async () => {
  const built = Bun.spawn([process.execPath, "site/build.ts"], { stdout: "ignore" });
  expect(await built.exited).toBe(0);
  gateway = await openTestGateway({ yaml: "" });
}, 60_000);

afterAll(() => gateway[Symbol.asyncDispose]());

testInBrowser(
  "a reader finds a section by search, and by the menu on a telephone, in either language",
  async (page) => {
    const problems: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(gateway.url)) problems.push(request.url());
    });

    await page.goto(`${gateway.url}/docs`);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("drain_delay");
    await page.locator("#search li a").first().click();
    await page.waitForURL(/\/docs\/[a-z-]+#/);
    await page.getByRole("button", { name: "Pages" }).click();
    await page.getByRole("link", { name: "Routing cookbook" }).click();
    await page.getByRole("link", { name: "简体中文" }).click();
    await page.waitForURL("**/docs/zh/routing");
    await page.keyboard.press("/");
    await page.keyboard.type("熔断器");
    await page.locator("#search li a").first().waitFor();

    expect(await page.locator("#search li a").first().getAttribute("href")).toStartWith(
      "/docs/zh/failover",
    );
    expect(problems).toEqual([]);
  },
);

testInBrowser("pages have no serious violation of accessibility, in either theme", async (page) => {
  const found: string[] = [];
  for (const [path, width] of [
    ["/docs/headers", 390],
    ["/docs/zh/concepts", 1440],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(gateway.url + path);
    found.push(...(await violationsIn(page, path)));
    await page.locator("[data-theme-button]").click();
    // The other theme differs in its colours alone.
    found.push(...(await violationsIn(page, path, { runOnly: ["color-contrast"] })));
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  }

  expect(found).toEqual([]);
});

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

async function violationsIn(
  page: Page,
  path: string,
  options: object = {},
): Promise<readonly string[]> {
  const source = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
  const { violations } = await page.evaluate<{ readonly violations: readonly Violation[] }>(
    `${source}; axe.run(document, ${JSON.stringify(options)})`,
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${path}: ${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}
