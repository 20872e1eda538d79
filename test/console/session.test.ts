import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { PASSWORD, ROOT } from "#test/accounts.ts";
import { consoleTests, visit } from "./console-place.ts";

const MEMBER = { username: "li.wei", password: PASSWORD };

const testConsole = consoleTests({
  async seed({ root }) {
    const channel = {
      name: "shared",
      provider: "openai",
      api_key: "sk-of-the-operator-0123456789",
    };
    const made = [
      await root("POST", "/api/user", { ...MEMBER, role: "user" }),
      await root("POST", "/api/channel", channel),
    ];
    expect(made.map(({ status }) => status)).toEqual([200, 200]);
  },
});

testConsole("a session that ends over a form keeps its typed text", async ({ gateway, open }) => {
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

testConsole("a lost connection is named, and the typed text is kept", async ({ gateway, open }) => {
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

testConsole(
  "the second of two tabs sees the other's change of a channel and keeps its own",
  async (place) => {
    const { url } = place.gateway;
    const first = await place.open();
    const second = await first.context().newPage();
    for (const page of [first, second]) {
      await visit(page, `${url}/channels/shared`);
      await page.getByRole("button", { name: "Change" }).click();
    }
    await first.getByLabel("Notes").fill("of the first tab");
    await first.locator("button[form=channel-form]").click();
    await first.locator("button[form=channel-form]").waitFor({ state: "detached" });
    await second.getByLabel("Tags", { exact: true }).fill("of-the-second-tab");
    await second.locator("button[form=channel-form]").click();

    await second.getByText("Another person changed this channel meanwhile").waitFor();
    expect(await second.getByLabel("Notes").inputValue()).toBe("of the first tab");
    expect(await second.getByLabel("Tags", { exact: true }).inputValue()).toBe("of-the-second-tab");
    await second.locator("button[form=channel-form]").click();
    await second.locator("button[form=channel-form]").waitFor({ state: "detached" });
    const items = (await place.root("GET", "/api/channel")).data["items"];
    expect(items).toContainEqual(
      expect.objectContaining({ notes: "of the first tab", tags: ["of-the-second-tab"] }),
    );
  },
);

testConsole(
  "who lost a role over an open form reads so and keeps the typed text",
  async (place) => {
    const login = { username: "ada", password: PASSWORD };
    const { data } = await place.root("POST", "/api/user", { ...login, role: "admin" });
    const page = await place.open({ login });
    await visit(page, `${place.gateway.url}/teams`);
    await page.getByRole("button", { name: "New team" }).click();
    await page.getByLabel("Name", { exact: true }).fill("typed before the change");
    const id = Number(data["id"]);
    expect((await place.root("PUT", `/api/user/${id}`, { role: "user" })).status).toBe(200);
    await page.locator("dialog[open] button[type=submit]").click();

    await page.locator("dialog[open]").getByText("Your role does not allow this").waitFor();
    const name = page.getByLabel("Name", { exact: true });
    expect(await name.inputValue()).toBe("typed before the change");
  },
);

testConsole(
  "a shared link has the filters and the drawer, and back leaves them in turn",
  async (place) => {
    const { url } = place.gateway;
    const page = await place.open();
    await visit(page, `${url}/channels`);
    await page.getByLabel("Search channels").fill("shar");
    await page.locator("[data-row]", { hasText: "shared" }).click();
    const drawer = page.locator("dialog[open]");
    await drawer.getByRole("heading", { name: "shared" }).waitFor();
    const link = page.url();

    const other = await place.open();
    await visit(other, link);
    await other.locator("dialog[open]").getByRole("heading", { name: "shared" }).waitFor();
    expect(await other.getByLabel("Search channels").inputValue()).toBe("shar");
    await page.reload();
    await drawer.waitFor();
    await page.goBack();
    await drawer.waitFor({ state: "detached" });
    expect(await page.getByLabel("Search channels").inputValue()).toBe("shar");
  },
);

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
