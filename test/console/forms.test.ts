import { afterAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { isSignedWith } from "#lib/standard-webhooks.ts";
import { logIn, PASSWORD } from "#test/accounts.ts";
import { simulatedChannel } from "#test/harness.ts";
import { consoleTests, visit } from "./console-place.ts";

interface Message {
  readonly headers: Headers;
  readonly body: string;
}

const messages: Message[] = [];
/** A service that takes messages about alerts. */
const service = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    messages.push({ headers: request.headers, body: await request.text() });
    return new Response();
  },
});
afterAll(() => service.stop(true));

const MEMBER = { username: "li.wei", password: PASSWORD };
const testConsole = consoleTests({
  yaml: `channels:\n${simulatedChannel("vendor", service.url.origin, "models: [gpt-4o-mini]")}`,
  env: () => ({
    SLUICE_LINKS_ALLOW: "127.0.0.1",
    SLUICE_LINKS_PORTS: String(service.port),
  }),
  async seed({ root }) {
    const { status } = await root("POST", "/api/user", { ...MEMBER, quota_usd: "1" });
    if (status !== 200) throw new Error(`The user was answered with ${status}.`);
  },
});

testConsole(
  "a rule of alerts is made, changed, disabled and deleted",
  async ({ gateway, open, root }) => {
    const page = await open();
    const stored = async (name: string) =>
      itemsOf((await root("GET", "/api/alert/rule")).data).find((each) => each["name"] === name);
    await visit(page, `${gateway.url}/alerts?tab=rules`);
    await page.getByRole("button", { name: "Add a rule" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Half of all calls fail");
    await page.getByLabel("Kind").last().selectOption("error_rate");
    await page.getByLabel("Percent that fails").fill("50");
    await save(page);
    const row = page.getByRole("row", { name: /Half of all calls fail/ });
    await row.waitFor();
    expect(await stored("Half of all calls fail")).toMatchObject({
      kind: "error_rate",
      terms: { percent: 50 },
      status: 1,
    });

    const choose = async (action: string): Promise<void> => {
      await row.getByRole("button", { name: /^Change: / }).click();
      await row.getByRole("button", { name: action, exact: true }).click();
    };
    await choose("Change");
    await page.getByLabel("Percent that fails").fill("60");
    await save(page);
    await row.getByText("Percent that fails: 60").waitFor();

    await choose("Disable");
    await page.getByText("Its open alerts end.").waitFor();
    await page.locator("dialog[open]").getByRole("button", { name: "Disable" }).click();
    await row.getByText("Disabled", { exact: true }).waitFor();
    expect(await stored("Half of all calls fail")).toMatchObject({ status: 2 });

    await choose("Delete");
    await page.locator("dialog[open]").getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
    expect(await stored("Half of all calls fail")).toBeUndefined();
  },
);

testConsole(
  "a destination shows its secret once and gets a test that is signed with it",
  async (place) => {
    const page = await place.open();
    await visit(page, `${place.gateway.url}/alerts?tab=destinations`);
    await page.getByRole("button", { name: "Add a destination" }).click();
    await page.getByLabel("Name", { exact: true }).fill("on call");
    await page.getByLabel("URL").fill(`${service.url.origin}/hook`);
    await save(page);
    const secret = await page
      .locator("dialog[open]")
      .getByText(/^whsec_/)
      .first()
      .innerText();
    await page.keyboard.press("Escape");
    const row = page.getByRole("row", { name: /on call/ });

    await row.getByRole("button", { name: "Test" }).click();
    await page.getByText("The destination took the message.").waitFor();
    await page.keyboard.press("Escape");
    expect(isLastSignedWith(secret)).toBe(true);

    await page.reload();
    await row.waitFor();
    expect(await page.content()).not.toContain(secret);
    await row.getByRole("button", { name: "Delete" }).click();
    await page.locator("dialog[open]").getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
  },
);

testConsole(
  "a price list changes nothing before its plan is applied",
  async ({ gateway, open, root }) => {
    const list = {
      "swift-99": {
        litellm_provider: "openai",
        mode: "chat",
        input_cost_per_token: 2e-6,
        output_cost_per_token: 8e-6,
      },
    };
    const updatedRows = async () => (await root("GET", "/api/catalog")).data["updated_rows"];
    const page = await open();
    await visit(page, `${gateway.url}/models`);
    await page.getByRole("button", { name: "Import prices" }).click();
    const text = page.getByLabel("Or the JSON itself");
    await text.fill("{");
    await page.getByRole("button", { name: "Plan", exact: true }).click();
    await page.getByText("This is not JSON.").waitFor();

    await text.fill(JSON.stringify(list));
    await page.getByRole("button", { name: "Plan", exact: true }).click();
    await page.locator("dialog[open] li", { hasText: "swift-99" }).waitFor();
    expect(await updatedRows()).toBe(0);
    await page.getByRole("button", { name: "Apply the plan" }).click();
    await page.getByText("The catalogue was updated.").waitFor();
    expect(await updatedRows()).toBe(1);
  },
);

testConsole(
  "codes show once, raise the quota of who redeems one, and are revoked",
  async (place) => {
    const { url } = place.gateway;
    const page = await place.open();
    await visit(page, `${url}/invitations?tab=codes`);
    await page.getByRole("button", { name: "New codes" }).click();
    await page.getByLabel("Number of codes").fill("2");
    await page.getByLabel("Value of each code in $").fill("7.50");
    await page.getByLabel("Note").fill("workshop");
    await page.locator("dialog[open] button[type=submit]").click();
    const shown = page.locator("dialog[open] pre, dialog[open] code").first();
    await shown.waitFor();
    const codes = (await shown.innerText()).trim().split(/\s+/);
    expect(codes).toHaveLength(2);
    await page.getByRole("button", { name: "I have stored it" }).click();

    const member = await place.open({ login: MEMBER });
    await visit(member, `${url}/account`);
    await member.getByLabel("Code", { exact: true }).fill(codes[0] ?? "");
    await member.getByRole("button", { name: "Redeem a code" }).click();
    await member.getByText("$7.50 was added. Your quota is $8.50 now.").waitFor();

    await page.reload();
    const row = page.getByRole("row", { name: /workshop/ });
    await row.getByText("1 / 2").waitFor();
    expect(await page.content()).not.toContain(codes[1] ?? "");
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("1 unused codes stop working at once.").waitFor();
    await page.locator("dialog[open]").getByRole("button", { name: "Revoke" }).click();
    await row.getByText("Revoked").waitFor();
    await member.getByLabel("Code", { exact: true }).fill(codes[1] ?? "");
    await member.getByRole("button", { name: "Redeem a code" }).click();
    await member.getByRole("alert").waitFor();
    expect(await member.getByLabel("Code", { exact: true }).inputValue()).toBe(codes[1] ?? "");
  },
);

testConsole(
  "a member changes name and password, and makes and revokes an access token",
  async (place) => {
    const { url } = place.gateway;
    const page = await place.open({ login: MEMBER });
    await visit(page, `${url}/account`);
    await page.getByLabel("Name that others see").fill("Li Wei");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.locator("nav").getByText("Li Wei").waitFor();

    await page.getByLabel("Name", { exact: true }).fill("script");
    await page.getByRole("button", { name: "New token" }).click();
    const token = (
      await page.locator("dialog[open] pre, dialog[open] code").first().innerText()
    ).trim();
    await page.keyboard.press("Escape");
    const ask = () =>
      fetch(`${url}/api/user/self`, { headers: { authorization: `Bearer ${token}` } });
    expect((await ask()).status).toBe(200);
    const row = page.getByRole("row", { name: /script/ });
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.locator("dialog[open]").getByRole("button", { name: "Revoke" }).click();
    await row.waitFor({ state: "detached" });
    expect((await ask()).status).toBe(401);

    const changed = "another thing to remember";
    const section = page.locator("form", { hasText: "New password" });
    await section.getByLabel("Your password").fill("not the password");
    await section.getByLabel("New password").fill(changed);
    await section.getByRole("button").click();
    await section.getByRole("alert").waitFor();
    expect(await section.getByLabel("New password").inputValue()).toBe(changed);
    await section.getByLabel("Your password").fill(PASSWORD);
    await section.getByRole("button").click();
    await page.getByText("Your password is changed.").waitFor();
    await logIn(url, { ...MEMBER, password: changed });
  },
);

testConsole(
  "a document of YAML changes the configuration after its plan was shown",
  async (place) => {
    const page = await place.open();
    const stored = async () => itemsOf((await place.root("GET", "/api/team")).data);
    await visit(page, `${place.gateway.url}/settings?tab=document`);
    const document = page.getByLabel("Document");
    await document.fill("teams: [");
    await page.getByRole("button", { name: "Show the plan" }).click();
    await page.getByRole("alert").waitFor();
    expect(await document.inputValue()).toBe("teams: [");

    await document.fill("teams:\n  - name: Search\n    budgets: { month: 500 }\n");
    await page.getByRole("button", { name: "Show the plan" }).click();
    await page.getByText("Create", { exact: true }).waitFor();
    expect(await stored()).toEqual([]);
    await page.getByRole("button", { name: "Apply the plan" }).click();
    await page.getByText("The configuration is applied.").waitFor();
    expect(await stored()).toMatchObject([{ name: "Search", budget_month_usd: 500 }]);
  },
);

function isLastSignedWith(secret: string): boolean {
  const { headers, body } = messages.at(-1) ?? { headers: new Headers(), body: "" };
  const timestamp = Number(headers.get("webhook-timestamp"));
  const message = { id: headers.get("webhook-id") ?? "", timestamp, body };
  return isSignedWith(secret, message, headers.get("webhook-signature") ?? "", timestamp);
}

async function save(page: Page): Promise<void> {
  await page.locator("dialog[open]").getByRole("button", { name: "Save" }).click();
}

function itemsOf(data: object): readonly Readonly<Record<string, unknown>>[] {
  return (data as { readonly items: readonly Readonly<Record<string, unknown>>[] }).items;
}
