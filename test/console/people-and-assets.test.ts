import { expect } from "bun:test";
import { pngUrl } from "@sluice/sandbox/testing/pictures.ts";
import { askWith, logIn, PASSWORD, textIn } from "#test/accounts.ts";
import { waitFor } from "#test/wait.ts";
import { consoleTests, visit } from "./console-place.ts";

const PICTURE = Buffer.from(pngUrl(128, 96).replace(/^.*,/, ""), "base64");

const testConsole = consoleTests({
  async seed({ root }) {
    await root("POST", "/api/user", { username: "ada", email: "ada@example.com" });
  },
});

testConsole(
  "a group is created with models and prices, gets a user, and is deleted once it is empty",
  async ({ gateway, root, open }) => {
    const page = await open();
    await visit(page, `${gateway.url}/groups`);

    await page.getByRole("button", { name: "New group" }).click();
    await page.getByLabel("Name", { exact: true }).fill("partners");
    await page.getByLabel("Price factor").fill("0.9");
    await page.getByLabel("Models", { exact: true }).fill("gpt-4o*\nclaude-sonnet-4-5");
    await page.getByRole("button", { name: "Add a price" }).click();
    await page.getByLabel("Model", { exact: true }).fill("gpt-4o-mini");
    await page.getByLabel("Input: gpt-4o-mini", { exact: true }).fill("0.000025");
    await page.getByLabel("Output: gpt-4o-mini").fill("0.6");
    await page.getByLabel("Requests a minute").first().fill("120");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: "partners" }).click();
    await page.getByText("$0.000025").waitFor();

    const made = await root("GET", "/api/group");
    expect(made.data["items"]).toMatchObject([
      {
        name: "partners",
        models: ["gpt-4o*", "claude-sonnet-4-5"],
        price_factor: "0.9",
        prices: { "gpt-4o-mini": { input: 0.000025, output: 0.6 } },
        rpm: 120,
        shared_rpm: null,
      },
    ]);

    // What the form shows of a price goes back as it came.
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await page.getByLabel("Calls at once").last().fill("8");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The group is changed.").waitFor();
    const [group] = (await root("GET", "/api/group")).data["items"] as readonly { id: number }[];
    expect(group).toMatchObject({
      rpm: 120,
      shared_concurrency: 8,
      prices: { "gpt-4o-mini": { input: 0.000025, output: 0.6 } },
    });

    const [ada] = (await root("GET", "/api/user?q=ada")).data["items"] as readonly { id: number }[];
    await root("PUT", `/api/user/${ada?.id}`, { group_id: group?.id ?? 0 });
    await visit(page, `${gateway.url}/groups?group=${group?.id}`);
    await page.getByRole("link", { name: "ada" }).waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete" }).last().click();
    await page.getByRole("alert").getByText("users").waitFor();

    await root("PUT", `/api/user/${ada?.id}`, { group_id: null });
    await page.getByRole("button", { name: "Delete" }).last().click();
    await page.getByText("The group partners is deleted.").waitFor();
    expect((await root("GET", "/api/group")).data["items"]).toEqual([]);
  },
);

testConsole(
  "users are filtered by the gateway, not among those that are loaded",
  async ({ gateway, root, open }) => {
    await root("POST", "/api/user", { username: "zoe", role: "auditor" });
    const page = await open();
    await visit(page, `${gateway.url}/users`);

    const asked = page.waitForRequest((request) => request.url().includes("role=auditor"));
    await page.getByLabel("Role").selectOption("auditor", { timeout: 5_000 });
    expect(new URL((await asked).url()).pathname).toBe("/api/user");

    await page.getByRole("link", { name: "ada" }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "zoe" }).waitFor();
    expect(await page.locator("[data-row]").count()).toBe(1);
  },
);

testConsole(
  "a picture is uploaded into a group, shows in the drawer, and is deleted",
  async ({ gateway, root, open }) => {
    const page = await open();
    await visit(page, `${gateway.url}/assets?tab=groups`);

    await page.getByRole("button", { name: "New group" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Launch film");
    await page.getByLabel("Stored at").selectOption("gateway");
    await page.getByRole("button", { name: "New group" }).last().click();
    await page.getByRole("link", { name: "Launch film" }).click();
    await page.getByRole("button", { name: "Add an asset" }).click();
    await page
      .getByLabel("File", { exact: true })
      .setInputFiles({ name: "cat.png", mimeType: "image/png", buffer: PICTURE });
    await page.getByLabel("Name", { exact: true }).fill("The cat");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("link", { name: "The cat" }).click();
    const picture = page.getByRole("img", { name: "Preview: The cat" });
    await picture.waitFor();
    // Runs in the page, and so is a text: the types here know no document.
    const width = "document.querySelector('dialog img').naturalWidth";
    await waitFor(async () => (await page.evaluate(width)) === 128);
    const made = await root("GET", "/api/asset/self");
    expect(made.data["items"]).toMatchObject([{ name: "The cat", state: "active", url: null }]);

    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete" }).last().click();
    await page.getByText("The asset is deleted.").waitFor();
    expect((await root("GET", "/api/asset/self")).data["total"]).toBe(0);
  },
);

testConsole(
  "the verification of a person begins with a link and a token, and is listed with its state",
  async ({ gateway, open }) => {
    const page = await open({ width: 390 });
    await visit(page, `${gateway.url}/assets?tab=verifications`);

    await page.getByRole("button", { name: "Verify a person" }).click();
    await page.getByLabel("Callback address").fill("http://hooks.example.com/");
    await page.getByRole("button", { name: "Begin" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByLabel("Callback address").inputValue()).toBe(
      "http://hooks.example.com/",
    );
    await page.getByLabel("Callback address").fill("https://hooks.example.com/");
    await page.getByRole("button", { name: "Begin" }).click();
    await page.getByText(/^vt_/).waitFor();
    await page.getByRole("button", { name: "I have stored it" }).click();

    await page.getByText("Open", { exact: true }).waitFor();
    expect(await page.getByText(/^vt_/).count()).toBe(0);
  },
);

testConsole(
  "the model page shows prices and health without a login, once the owner turned it on",
  async ({ gateway, root, open }) => {
    const page = await open({ width: 390 });
    await page.context().clearCookies();
    await visit(page, `${gateway.url}/pricing`);
    await page.getByText("This gateway shows no models here").waitFor();

    await root("PUT", "/api/setting/model_page", { value: "on" });
    await visit(page, `${gateway.url}/pricing?q=gpt-4o-mini`);
    await page.getByRole("link", { name: "gpt-4o-mini", exact: true }).click();

    await page.getByText("$0.60").last().waitFor();
    const { data } = await askWith(gateway.url)("GET", "/api/pricing");
    const channels = (await root("GET", "/api/channel")).data["items"] as readonly {
      readonly name: string;
    }[];
    expect(channels.length).toBeGreaterThan(0);
    for (const { name } of channels) expect(JSON.stringify(data)).not.toContain(name);
    await root("DELETE", "/api/setting/model_page");
  },
);

testConsole(
  "an admin gives a user budgets, raises one for a time, changes the name and ends the sessions",
  async ({ gateway, root, open }) => {
    const made = await root("POST", "/api/user", { username: "bea", password: PASSWORD });
    const id = Number(made.data["id"]);
    const bea = await logIn(gateway.url, { username: "bea", password: PASSWORD });
    const page = await open();
    await visit(page, `${gateway.url}/users?user=${id}`);

    await page.getByRole("button", { name: "Change", exact: true }).click();
    await page.getByLabel("Quota in all in $").fill("25");
    await page.getByLabel("Month: amount in $").fill("50");
    await page.getByLabel("Month: warn from $").fill("40");
    await page.getByLabel("Day: warn from $").fill("0.000003");
    const form = page.getByRole("dialog", { name: "Budgets", exact: true });
    await form.getByLabel("Reason").fill("start");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("The budgets are changed.").waitFor();
    await page.getByRole("button", { name: "Raise for a time" }).click();
    await page.getByLabel("Raise by $").fill("10");
    const raise = page.getByRole("dialog", { name: "Raise for a time" });
    await raise.getByLabel("Reason").fill("launch week");
    await raise.getByRole("button", { name: "Raise for a time" }).click();
    await page.getByText("Month: $10.00 more, by root").waitFor();
    const quota = await root("GET", `/api/user/${id}/quota`);
    expect(quota.data).toMatchObject({
      quota_usd: 25,
      budgets: [
        { period: "month", amount_usd: 50, warn_usd: 40, limit_usd: 60 },
        { period: "day", amount_usd: null, warn_usd: 0.000003 },
      ],
    });
    await page.getByRole("button", { name: "End it" }).click();
    await page.getByText("The raise has ended.").waitFor();

    await page.getByLabel("Name that others see").fill("Bea B.");
    await page.getByLabel("Email address").fill("bea@example.com");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The user is changed.").waitFor();
    await page.getByRole("button", { name: "End all sessions" }).click();
    await page.getByRole("button", { name: "End all sessions" }).last().click();
    await page.getByText("1 sessions have ended.").waitFor();
    expect((await askWith(gateway.url, bea)("GET", "/api/user/self")).status).toBe(401);
    const { data } = await root("GET", "/api/user?q=bea");
    expect(data["items"]).toMatchObject([{ email: "bea@example.com", display_name: "Bea B." }]);
  },
);

testConsole(
  "before a user is deleted, the running calls are counted",
  async ({ gateway, root, open }) => {
    const made = await root("POST", "/api/user", { username: "cal" });
    const id = Number(made.data["id"]);
    const key = await root("POST", `/api/user/${id}/token`, { name: "key of cal" });
    const body = {
      model: "gpt-4o-mini",
      stream: true,
      messages: [{ role: "user", content: "[[fault:hang]] Say hello." }],
    };
    const aborted = new AbortController();
    const call = fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${textIn(key.data, "key")}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
      signal: aborted.signal,
    }).catch(() => undefined);
    await waitFor(async () => {
      const { data } = await root("GET", `/api/user/${id}/open-calls`);
      return data["open_calls"] === 1;
    });
    const page = await open({ width: 390 });
    await visit(page, `${gateway.url}/keys?user=${id}`);
    await page.getByRole("heading", { name: "Keys of user cal" }).waitFor();
    // The list is narrowed to another user, and the link still opens this one.
    await visit(page, `${gateway.url}/users?q=ada&user=${id}`);

    await page.getByRole("button", { name: "Delete" }).click();

    await page.getByText("Calls and video tasks that run now: 1.").waitFor();
    await page.getByRole("button", { name: "Delete" }).last().click();
    await page.getByText("The user cal is deleted.").waitFor();
    aborted.abort();
    await call;
  },
);

testConsole(
  "the owner of a team sees its members and invitations, bounds a member, and makes a narrow token",
  async ({ gateway, root, open }) => {
    for (const username of ["olga", "max"]) {
      await root("POST", "/api/user", { username, password: PASSWORD });
    }
    const team = await root("POST", "/api/team", {
      name: "Search",
      quota_usd: "100",
      members: [{ username: "olga", role: "owner" }, { username: "max" }],
    });
    const page = await open({ login: { username: "olga", password: PASSWORD } });
    await visit(page, `${gateway.url}/teams`);

    const row = page.getByRole("row").filter({ hasText: "max" });
    await row.getByRole("button", { name: "Budgets" }).click();
    await page.getByRole("button", { name: "Change" }).click();
    await page.getByLabel("Week: amount in $").fill("7.5");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The budgets are changed.").waitFor();
    const members = await root("GET", `/api/team/${Number(team.data["id"])}/member?q=max`);
    expect(members.data["items"]).toMatchObject([{ budget_week_usd: 7.5 }]);

    await visit(page, `${gateway.url}/invitations`);
    await page.getByRole("button", { name: "Invite" }).waitFor();
    await visit(page, `${gateway.url}/account`);
    await page.getByLabel("Name", { exact: true }).fill("reader");
    await page.getByText("May do: All that you may").click();
    await page.getByLabel(/^Read usage and amounts/).check();
    await page.getByRole("button", { name: "New token" }).click();
    const secret = await page
      .getByText(/^slc-user_/)
      .first()
      .textContent();
    const ask = askWith(gateway.url, { authorization: `Bearer ${secret?.trim()}` });
    expect((await ask("GET", "/api/user/self/quota")).status).toBe(200);
    expect((await ask("GET", "/api/token")).status).toBe(403);
  },
);

testConsole(
  "the order of a model's channels shows at once, without a key being made",
  async ({ gateway, root, open }) => {
    const count = async (): Promise<unknown> => (await root("GET", "/api/token")).data["total"];
    const before = await count();
    const page = await open();
    await visit(page, `${gateway.url}/channels?tab=routing`);

    await page.getByLabel("Model", { exact: true }).fill("gpt-4o-mini");
    await page.getByRole("button", { name: "Show the order" }).click();
    await page.getByText("tried", { exact: true }).first().waitFor();
    await page.getByLabel("Style of the request").selectOption("messages");
    await page
      .getByText(/translated|as it came/)
      .first()
      .waitFor();

    expect(await count()).toBe(before);
    const { data } = await root("POST", "/api/channel/explain", { model: "gpt-4o-mini" });
    expect(data).toMatchObject({ style: "chat", refused: null, model: { name: "gpt-4o-mini" } });
    const none = await root("POST", "/api/channel/explain", { model: "gpt-4o-mini", token_id: 99 });
    expect(none.status).toBe(404);
  },
);

testConsole(
  "About names the version, the database, the news and the licence of each library",
  async ({ gateway, open }) => {
    const page = await open({ width: 390 });
    await visit(page, `${gateway.url}/about`);

    await page.getByText("SQLite").waitFor();
    await page.getByText(/^Added \(/).waitFor();
    await page.getByLabel("Name of a library").fill("preact");
    await page.getByRole("link", { name: "preact" }).click();

    await page.getByText("Permission is hereby granted, free of charge").waitFor();
    expect(new URL(page.url()).search).toContain("q=preact");
  },
);
