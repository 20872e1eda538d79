import { afterAll, beforeAll, expect } from "bun:test";
import { openWithRoot, ROOT } from "#test/accounts.ts";
import { testInBrowser } from "#test/browser.ts";
import type { TestGateway } from "#test/harness.ts";

let opened: TestGateway;
let failed = "";
beforeAll(async () => {
  opened = await openWithRoot();
  const response = await opened.post("/v1/chat/completions", {
    model: "no-such-model",
    messages: [{ role: "user", content: "hello" }],
  });
  expect(response.ok).toBe(false);
  failed = response.headers.get("x-request-id") ?? "";
});
afterAll(() => opened[Symbol.asyncDispose]());

// One browser for both, since its start takes most of the time.
testInBrowser(
  "a pasted id shows why a call failed, and a shared link survives reload and back",
  async (page) => {
    await page.setViewportSize({ width: 1_440, height: 900 });
    await page.goto(`${opened.url}/login`);
    await page.fill("input[name=username]", ROOT.email);
    await page.fill("input[name=password]", ROOT.password);
    await page.click("button[type=submit]");
    await page.waitForURL((url) => url.pathname === "/");
    // Keys are heard once the page is drawn.
    await page.getByRole("heading", { name: "Home" }).waitFor();

    await page.keyboard.press("Control+k");
    // It has the focus, so that a pasted id needs no click.
    await page.locator("[role=combobox]:focus").waitFor();
    await page.keyboard.insertText(failed);
    await page.getByRole("option").first().click();
    const drawer = page.getByRole("dialog");
    await drawer.getByText("404 model_not_found").first().waitFor();
    expect(new URL(page.url()).pathname).toBe(`/logs/${failed}`);

    const shared = `/logs/${failed}?outcome=failed&model=no-such-model`;
    await page.goto(opened.url + shared);
    for (const move of [() => page.reload(), () => page.goto(`${opened.url}/keys`)]) {
      await drawer.getByText(failed).waitFor();
      await move();
    }
    await page.goBack();
    await drawer.getByText(failed).waitFor();
    expect(page.url()).toBe(opened.url + shared);
    expect(await page.getByLabel("Outcome").inputValue()).toBe("failed");

    // The first page of calls is on its way before the page is drawn.
    await page.goto(`${opened.url}/logs`);
    await page.locator("[data-row]").first().waitFor();
    const links = await page.evaluate<readonly string[]>(
      `performance.getEntriesByType("resource").filter(({ initiatorType }) => initiatorType === "link").map(({ name }) => name)`,
    );
    expect(links).toContain(`${opened.url}/api/log?page_size=100`);
  },
);
