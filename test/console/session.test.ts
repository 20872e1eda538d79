import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { PASSWORD, ROOT } from "#test/accounts.ts";
import { consoleTests, visit } from "./console-place.ts";

const MEMBER = { username: "li.wei", password: PASSWORD };

const testConsole = consoleTests({
  async seed({ root }) {
    const { status } = await root("POST", "/api/user", { ...MEMBER, role: "user" });
    if (status !== 200) throw new Error(`The user was answered with ${status}.`);
  },
});

testConsole("a session that ends over a form keeps what was typed", async ({ gateway, open }) => {
  const page = await open();
  await visit(page, `${gateway.url}/keys`);
  await page.getByRole("button", { name: "New key" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill("typed before the end");
  await page.context().clearCookies();
  await page.locator("dialog[open] button[type=submit]").click();

  await page.getByText("Your session has ended.").waitFor();
  await logInOver(page);

  const name = page.getByLabel("Name", { exact: true });
  expect(await name.inputValue()).toBe("typed before the end");
  await page.locator("dialog[open] button[type=submit]").click();
  await page.locator("[data-row]", { hasText: "typed before the end" }).waitFor();
});

testConsole("a lost connection is named, and what was typed is kept", async ({ gateway, open }) => {
  const page = await open();
  await visit(page, `${gateway.url}/keys`);
  await page.getByRole("button", { name: "New key" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill("typed before the loss");
  await page.context().setOffline(true);
  await page.locator("dialog[open] button[type=submit]").click();

  await page.getByText("The gateway does not answer").first().waitFor();
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("typed before the loss");
  await page.context().setOffline(false);
  await page.locator("dialog[open] button[type=submit]").click();
  await page.locator("[data-row]", { hasText: "typed before the loss" }).waitFor();
});

testConsole("a member who opens an admin's address reads why it stays closed", async (place) => {
  const page = await place.open({ login: MEMBER });
  const refused: string[] = [];
  page.on("response", (response) => {
    if (response.status() === 403) refused.push(response.url());
  });
  for (const path of ["/settings", "/channels"]) {
    await visit(page, place.gateway.url + path);
    await page.getByText("Your role does not allow this").first().waitFor();
  }

  // A page that is not shown asks for nothing.
  expect(refused).toEqual([]);
});

testConsole("after a logout in one tab, another one asks for the login", async (place) => {
  const first = await place.open({ login: MEMBER });
  const second = await first.context().newPage();
  await visit(first, `${place.gateway.url}/keys`);
  await visit(second, `${place.gateway.url}/logs`);

  await first.getByRole("button", { name: MEMBER.username }).click();
  await first.getByRole("button", { name: "Log out" }).click();
  await first.waitForURL((url) => url.pathname === "/login");
  await second.getByRole("button", { name: "Refresh" }).click();
  await second.getByText("Your session has ended.").waitFor();

  await second.reload();
  await second.waitForURL((url) => url.pathname === "/login");
  expect(new URL(second.url()).searchParams.get("next")).toBe("/logs");
});

testConsole("another user who logs in over a page sees nothing of the first", async (place) => {
  const page = await place.open();
  await visit(page, `${place.gateway.url}/settings`);
  await page.context().clearCookies();
  await page.locator("nav").getByRole("link", { name: "Keys" }).click();
  await page.getByText("Your session has ended.").waitFor();
  await logInOver(page, MEMBER.username, MEMBER.password);

  await page.getByRole("button", { name: MEMBER.username }).waitFor();
  expect(await page.locator("nav").getByRole("link", { name: "Settings" }).count()).toBe(0);
});

async function logInOver(
  page: Page,
  name: string = ROOT.email,
  password: string = ROOT.password,
): Promise<void> {
  await page.locator("input[name=username]").fill(name);
  await page.locator("input[name=password]").fill(password);
  await page.locator("form:has(input[name=password]) button[type=submit]").click();
  await page.locator("input[name=password]").waitFor({ state: "detached" });
}
