import { expect, test } from "bun:test";
import { startSandbox } from "@sluice/sandbox/server.ts";
import type { Page } from "playwright-core";
import { PROVIDERS } from "#providers/index.ts";
import { asRoot, openWithRoot, ROOT } from "#test/accounts.ts";
import { testInBrowser } from "#test/browser.ts";
import { countActs } from "./console-place.ts";
import { VENDORS } from "../../console/src/pages/channels/vendors.ts";

test("the console offers exactly the vendors that the gateway knows", () => {
  expect(VENDORS.map(({ id }) => id).sort()).toEqual(PROVIDERS.map(({ id }) => id).sort());
  for (const { id, needsAddress = false, options } of VENDORS) {
    const provider = PROVIDERS.find((each) => each.id === id);
    const hasAddress = provider?.baseUrl !== undefined || options !== undefined;
    expect([id, needsAddress]).toEqual([id, !hasAddress]);
  }
});

testInBrowser(
  "a vendor is added with 4 clicks and 1 paste, and taken out with 2 clicks",
  async (page) => {
    const sandbox = await startSandbox();
    try {
      await using gateway = await openWithRoot();
      const root = await asRoot(gateway.url);
      await leadTo(`${sandbox.url}/openai/v1`, page);
      await logIn(gateway.url, page);
      await page.goto(`${gateway.url}/channels`);
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.evaluate(`navigator.clipboard.writeText("sk-of-the-operator-0123456789")`);

      const adding = await countActs(page);
      await page.getByRole("button", { name: "Add a channel" }).click();
      await page.getByText("OpenAI", { exact: true }).click();
      await page.keyboard.press("Control+V");
      await page.getByRole("button", { name: "Test", exact: true }).click();
      const row = page.getByRole("row", { name: /^gpt-4o-mini / }).first();
      await row.waitFor();
      expect(await row.innerText()).toContain("$0.15");
      await page.getByRole("button", { name: "Save" }).click();
      await page.waitForURL(/\/channels\/openai$/);
      expect(await adding()).toEqual({ clicks: 4, pastes: 1 });
      const stored = async () => (await root("GET", "/api/channel")).data["items"];
      expect(await stored()).toContainEqual(
        expect.objectContaining({
          name: "openai",
          provider: "openai",
          status: 1,
          models: null,
          credentials: { count: 1, labels: ["...6789"] },
        }),
      );

      const removing = await countActs(page);
      await page.getByRole("button", { name: "Disable" }).click();
      await page.getByText("0 running calls are completed").waitFor();
      await page.getByRole("button", { name: "Disable" }).last().click();
      await page.getByText("openai serves no new calls.").waitFor();
      expect(await removing()).toEqual({ clicks: 2, pastes: 0 });
      expect(await stored()).toContainEqual(
        expect.objectContaining({ name: "openai", status: 2, serving: false }),
      );
    } finally {
      await sandbox.stop();
    }
  },
);

/** The page names no address, because OpenAI has its own: requests get the simulator's here. */
async function leadTo(address: string, page: Page): Promise<void> {
  await page.route(/\/api\/channel(\/draft-test)?$/, async (route) => {
    const request = route.request();
    if (request.method() !== "POST") return route.continue();
    const body = request.postDataJSON() as Readonly<Record<string, unknown>>;
    expect(body["base_url"]).toBeNull();
    return route.continue({ postData: JSON.stringify({ ...body, base_url: address }) });
  });
}

async function logIn(url: string, page: Page): Promise<void> {
  await page.goto(`${url}/login`);
  await page.locator("input[name=username]").fill(ROOT.email);
  await page.locator("input[name=password]").fill(ROOT.password);
  await page.locator("button[type=submit]").click();
  await page.waitForURL(`${url}/`);
}
