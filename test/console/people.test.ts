import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Page } from "playwright-core";
import { asRoot, openWithRoot, PASSWORD, ROOT, textIn } from "#test/accounts.ts";
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
});
