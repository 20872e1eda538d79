import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { asRoot, asUser, bearer, openWithRoot, ROOT, textIn, type Ask } from "#test/accounts.ts";
import { openBooks } from "#test/books.ts";
import { buildConsole, openBrowser } from "#test/browser.ts";
import { simulatedChannel, type TestGateway } from "#test/harness.ts";

const MINUTE_MS = 60_000;
const UNPRICED = "deepseek-flash-next";

const browser = await openBrowser();
let sandbox: Sandbox;
let opened: TestGateway;
let root: Ask;
let page: Page;

beforeAll(async () => {
  if (browser === undefined) return;
  await buildConsole();
  sandbox = await startSandbox();
  const models = `models: [gpt-4o, ${UNPRICED}]`;
  const yaml = `channels:\n${simulatedChannel("sim", sandbox.url, models)}`;
  opened = await openWithRoot({ yaml });
  root = await asRoot(opened.url);
  const [ada, bob] = [await keyOf("ada"), await keyOf("bob")];
  for (const key of [ada, bob, bob, bob]) await call("gpt-4o", key);
  await call(UNPRICED, ada);
  using books = openBooks(opened.dataDir);
  await books.whenSettled();
  page = await logInTo(browser);
}, MINUTE_MS);

afterAll(async () => {
  await browser?.close();
  await opened?.[Symbol.asyncDispose]();
  await sandbox?.stop();
});

async function keyOf(name: string): Promise<string> {
  const ask = await asUser(opened.url, name);
  return textIn((await ask("POST", "/api/token", { name: `${name}'s key` })).data, "key");
}

async function call(model: string, key: string): Promise<void> {
  const messages = [{ role: "user", content: "hello" }];
  const response = await opened.post("/v1/chat/completions", { model, messages }, bearer(key));
  await response.text();
  expect(response.status).toBe(200);
}

async function logInTo(opener: Browser): Promise<Page> {
  const shown = await opener.newPage({ viewport: { width: 1440, height: 900 } });
  await shown.goto(`${opened.url}/login`);
  await shown.fill("input[name=username]", ROOT.email);
  await shown.fill("input[name=password]", ROOT.password);
  await shown.click("button[type=submit]");
  await shown.waitForURL((url) => url.pathname === "/");
  return shown;
}

const inBrowser = test.skipIf(browser === undefined);

inBrowser(
  "one click from any page shows who spent most this month",
  async () => {
    await page.goto(`${opened.url}/keys`);

    await page.getByRole("link", { name: "Usage", exact: true }).click();

    await page.getByText(/^bob spent most: \$/).waitFor();
    const rows = page.getByRole("region", { name: /^Usage, most expensive/ }).locator("[data-row]");
    const names = await rows.locator("td:first-child").allInnerTexts();
    expect(names.map((name) => name.split(/\s/)[0])).toEqual(["bob", "ada"]);
  },
  MINUTE_MS,
);

inBrowser(
  "a reload keeps the period, the dimensions and the comparison",
  async () => {
    await page.goto(`${opened.url}/usage?per=user&by=model&period=week&compare=1`);
    await page.reload();

    await page.getByRole("columnheader", { name: "Before" }).waitFor();
    expect(await page.getByLabel("Period", { exact: true }).inputValue()).toBe("week");
    expect(await page.getByLabel("Each bar").inputValue()).toBe("user");
    expect(await page.getByLabel("Parts", { exact: true }).inputValue()).toBe("model");
  },
  MINUTE_MS,
);

inBrowser(
  "three clicks price a model that has no price",
  async () => {
    await page.goto(`${opened.url}/keys`);

    await page.getByRole("link", { name: "Models", exact: true }).click();
    await page.getByRole("tab", { name: "Without a price (1)" }).click();
    await page
      .getByRole("button", { name: new RegExp(`Use the price of .+ for ${UNPRICED}`) })
      .click();

    await page.getByText("Every model has a price").waitFor();
    const { data } = await root("GET", "/api/price/unpriced?all=true");
    expect(data["items"]).toEqual([]);
  },
  MINUTE_MS,
);

inBrowser(
  "amounts show in the gateway's second currency beside dollars",
  async () => {
    await root("PUT", "/api/setting/display.currency", { value: "JPY=150" });

    await page.goto(`${opened.url}/usage?by=user&period=week`);
    await page.getByRole("columnheader", { name: "JPY" }).waitFor();
    const yen = await page.locator("[data-row] td", { hasText: "¥" }).allInnerTexts();
    await page.goto(opened.url);
    const note = page.getByText(/^¥[\d.]+ · UTC/).first();

    expect(yen.length).toBeGreaterThan(0);
    await note.waitFor();
  },
  MINUTE_MS,
);
