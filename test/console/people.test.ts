import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Page } from "playwright-core";
import {
  asRoot,
  askWith,
  codeOf,
  logIn,
  openWithRoot,
  PASSWORD,
  ROOT,
  textIn,
} from "#test/accounts.ts";
import { testInBrowser } from "#test/browser.ts";
import type { TestGateway } from "#test/harness.ts";

let opened: TestGateway;

beforeAll(async () => {
  opened = await openWithRoot();
});

afterAll(() => opened[Symbol.asyncDispose]());

async function logInAsRoot(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${opened.url}/login`);
  await page.fill("input[name=username]", ROOT.email);
  await page.fill("input[name=password]", ROOT.password);
  await page.click("button[type=submit]");
  await page.waitForURL((url) => url.pathname === "/");
}

describe("people in the console", () => {
  testInBrowser("each user sees the own account with its sessions", async (page) => {
    await logInAsRoot(page);

    await page.goto(`${opened.url}/account`);

    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    await page.getByText("This one").first().waitFor();
  });

  testInBrowser("an invited person opens the link and is logged in as a member", async (page) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    const errors: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
    const root = await asRoot(opened.url);
    const { data } = await root("POST", "/api/invitation", { note: "for Ada" });

    await page.goto(`${opened.url}/account/invitation#${textIn(data, "token")}`);
    await page.fill("input[name=username]", "ada");
    await page.fill("input[name=password]", PASSWORD);
    await page.click("button[type=submit]");
    await page.waitForURL((url) => url.pathname === "/");
    await page.getByRole("button", { name: "ada" }).waitFor();

    const users = await root("GET", "/api/user?q=ada");
    expect(users.data["items"]).toMatchObject([{ username: "ada", role: "user" }]);
    expect(errors).toEqual([]);
  });

  testInBrowser("a link that was used says so and keeps the login in reach", async (page) => {
    await page.goto(`${opened.url}/account/invitation#not-a-secret`);

    await page.getByRole("alert").waitFor();
    await page.getByRole("link", { name: "To the login" }).click();
    await page.waitForURL((url) => url.pathname === "/login");
  });

  testInBrowser("a team gets $500 a month and ten members in three clicks", async (page) => {
    const root = await asRoot(opened.url);
    const names = Array.from({ length: 10 }, (_, at) => `member-${at}`);
    for (const username of names) await root("POST", "/api/user", { username });
    await logInAsRoot(page);

    let clicks = 0;
    const click = async (role: "link" | "button", name: string): Promise<void> => {
      clicks += 1;
      await page.getByRole(role, { name, exact: true }).click();
    };
    await click("link", "Teams");
    await click("button", "New team");
    await page.getByLabel("Name", { exact: true }).fill("Search");
    await page.getByLabel("Budget a month in $").fill("500");
    await page.getByLabel("Members").fill(names.join("\n"));
    await click("button", "Save");
    await page.getByRole("link", { name: "Search", exact: true }).waitFor();

    const teams = await root("GET", "/api/team");
    expect(teams.data["items"]).toMatchObject([{ name: "Search", budget_month_usd: 500 }]);
    const users = await root("GET", "/api/user?q=member-");
    const members = users.data["items"] as readonly { readonly team_id: number | null }[];
    expect(members.filter(({ team_id: id }) => id !== null)).toHaveLength(10);
    expect(clicks).toBeLessThanOrEqual(5);
  });

  testInBrowser("a team that cannot be deleted says why", async (page) => {
    const root = await asRoot(opened.url);
    const { data } = await root("POST", "/api/team", { name: "Kept" });
    await logInAsRoot(page);
    await page.route("**/api/team/*", (route) =>
      route.request().method() === "DELETE"
        ? route.fulfill({
            status: 409,
            json: { success: false, message: "The team is in use.", data: {} },
          })
        : route.continue(),
    );

    await page.goto(`${opened.url}/teams?team=${Number(data["id"])}`);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").last().getByRole("button", { name: "Delete" }).click();

    await page.getByRole("dialog").getByText("The team is in use.").waitFor();
  });

  testInBrowser(
    "an admin ends one session of a user, and makes a key for the user",
    async (page) => {
      const root = await asRoot(opened.url);
      const made = await root("POST", "/api/user", { username: "mira", password: PASSWORD });
      const id = Number(made.data["id"]);
      const mira = askWith(
        opened.url,
        await logIn(opened.url, { username: "mira", password: PASSWORD }),
      );
      await logInAsRoot(page);

      await page.goto(`${opened.url}/users?user=${id}`);
      await page.getByRole("button", { name: "End", exact: true }).click();
      await page.getByText("There is no session.").waitFor();
      expect((await mira("GET", "/api/user/self")).status).toBe(401);

      await page.getByRole("dialog").getByRole("link", { name: "Keys", exact: true }).click();
      await page.getByRole("button", { name: "New key" }).click();
      await page.getByLabel("Name", { exact: true }).fill("robot");
      await page
        .getByRole("button", { name: "Save" })
        .or(page.getByRole("button", { name: "Create" }))
        .first()
        .click();
      await page.getByText(/^sk-/).first().waitFor();
      const keys = await root("GET", `/api/user/${id}/token`);
      expect(keys.data["items"]).toMatchObject([{ name: "robot" }]);
    },
  );

  testInBrowser("a user changes the address and sets up a second factor", async (page) => {
    const root = await asRoot(opened.url);
    await root("POST", "/api/user", { username: "nora", password: PASSWORD });
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${opened.url}/login`);
    await page.fill("input[name=username]", "nora");
    await page.fill("input[name=password]", PASSWORD);
    await page.click("button[type=submit]");
    await page.waitForURL((url) => url.pathname === "/");

    await page.goto(`${opened.url}/account`);
    await page.getByLabel("Email address").fill("nora@example.com");
    const profile = page.locator("form", { has: page.getByLabel("Email address") });
    await profile.getByLabel("Your password").fill(PASSWORD);
    await profile.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").first().waitFor();

    await page.getByRole("button", { name: "Set it up" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Your password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Continue" }).click();
    const secret = (await dialog.getByText(/^[A-Z2-7]{16,}$/).innerText()).trim();
    await dialog.getByLabel("The code that it shows").fill(codeOf(secret));
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await dialog.getByRole("button", { name: "I have stored them" }).click();
    await page.getByRole("button", { name: "Replace it" }).waitFor();

    const found = await root("GET", "/api/user?q=nora");
    expect(found.data["items"]).toMatchObject([{ email: "nora@example.com", second_factor: true }]);
  });
});
