import { expect } from "bun:test";
import { asRoot, bearer, logIn, askWith, PASSWORD, textIn } from "#test/accounts.ts";
import { openBooks } from "#test/books.ts";
import { consoleTests, countActs, visit, whenDrawn, type ConsolePlace } from "./console-place.ts";

const MEMBER = { username: "li.wei", password: PASSWORD };
const MODEL = "gpt-4o-mini";

const testConsole = consoleTests({
  async seed(place) {
    const { gateway, root } = place;
    const { data: user } = await root("POST", "/api/user", { ...MEMBER, role: "user" });
    const { data: team } = await root("POST", "/api/team", { name: "Search" });
    const members = [{ user_id: user["id"] }];
    await root("POST", `/api/team/${Number(team["id"])}/member`, { members });
    const member = askWith(gateway.url, await logIn(gateway.url, MEMBER));
    await call(place, textIn((await member("POST", "/api/token", { name: "of Li" })).data, "key"));
    const own = { name: "nightly evaluation", budget_month_usd: "10" };
    await call(place, textIn((await root("POST", "/api/token", own)).data, "key"));
    using books = openBooks(gateway.dataDir);
    await books.whenSettled();
  },
});

async function call({ gateway }: Pick<ConsolePlace, "gateway">, key: string): Promise<void> {
  const messages = [{ role: "user", content: "Hello" }];
  const answer = await gateway.post(
    "/v1/chat/completions",
    { model: MODEL, messages },
    bearer(key),
  );
  await answer.text();
  expect(answer.status).toBe(200);
}

testConsole("a member gets an own key, which works, with 2 clicks", async (place) => {
  const page = await place.open({ login: MEMBER });
  await visit(page, `${place.gateway.url}/`);

  const acts = await countActs(page);
  await page.locator("nav").getByRole("link", { name: "Keys" }).click();
  await page.getByRole("button", { name: "New key" }).first().click();
  await page.locator("dialog[open] input:focus").waitFor();
  await page.keyboard.type(" laptop");
  await page.keyboard.press("Enter");
  const secret = page.locator("dialog[open] code, dialog[open] pre").filter({ hasText: /^sk-/ });
  await secret.first().waitFor();

  expect(await acts()).toEqual({ clicks: 2, pastes: 0 });
  const key = (await secret.first().innerText()).trim();
  await call(place, key);
});

testConsole("a budget is raised with 2 clicks from the list of keys", async (place) => {
  const page = await place.open();
  await visit(page, `${place.gateway.url}/keys`);

  const acts = await countActs(page);
  await page.getByRole("button", { name: "Edit the key: nightly evaluation" }).click();
  await page.getByRole("button", { name: "Edit the key", exact: true }).click();
  await page.getByLabel("Budget a month in $").fill("20");
  await page.keyboard.press("Enter");
  await page.getByText("The key is changed.").waitFor();

  expect(await acts()).toEqual({ clicks: 2, pastes: 0 });
  expect(await budgetOfKey(place)).toBe(20);
});

testConsole("a budget is raised with 2 clicks from a call", async (place) => {
  const page = await place.open();
  await visit(page, `${place.gateway.url}/logs`);

  const acts = await countActs(page);
  await page.locator("[data-row]", { hasText: "nightly evaluation" }).first().click();
  await page.locator("dialog[open]").getByRole("link", { name: "Change" }).first().click();
  await page.getByLabel("Budget a month in $").fill("30");
  await page.keyboard.press("Enter");
  await page.getByText("The key is changed.").waitFor();

  expect(await acts()).toEqual({ clicks: 2, pastes: 0 });
  expect(await budgetOfKey(place)).toBe(30);
});

testConsole("a team's budget is raised with 1 click from its usage", async (place) => {
  const page = await place.open();
  await visit(page, `${place.gateway.url}/usage?by=team`);

  const acts = await countActs(page);
  await page
    .getByRole("row", { name: /Search/ })
    .getByRole("link", { name: "Budget" })
    .click();
  await page.getByLabel("Month: amount in $").fill("500");
  await page.keyboard.press("Enter");
  await page.getByText("The budgets are changed.").waitFor();

  expect(await acts()).toEqual({ clicks: 1, pastes: 0 });
  expect((await place.root("GET", "/api/team")).data["items"]).toMatchObject([
    { name: "Search", budget_month_usd: 500 },
  ]);
});

testConsole("a model is tried with 1 click and typing", async (place) => {
  const page = await place.open({ login: MEMBER });
  await visit(page, `${place.gateway.url}/`);

  const acts = await countActs(page);
  await page.locator("nav").getByRole("link", { name: "Playground" }).click();
  await page.getByLabel("Model", { exact: true }).fill(MODEL);
  await page.getByLabel("Message", { exact: true }).fill("Say hello");
  await page.keyboard.press("Control+Enter");
  await page.locator("[aria-live=polite] p").filter({ hasText: /\w/ }).first().waitFor();
  await whenDrawn(page);

  expect(await acts()).toEqual({ clicks: 1, pastes: 0 });
  await page.getByText("A temporary key is used until").waitFor();
  await page.getByRole("link", { name: "Show in the log" }).waitFor();
});

async function budgetOfKey({ gateway }: ConsolePlace): Promise<unknown> {
  const { data } = await (await asRoot(gateway.url))("GET", "/api/token");
  const items = data["items"] as readonly Record<string, unknown>[];
  return items.find(({ name }) => name === "nightly evaluation")?.["budget_month_usd"];
}
