import { expect } from "bun:test";
import { testInBrowser } from "../../test/browser.ts";
import { textAt } from "./testing/chat.ts";
import { act, refusalIn, resultOf } from "./testing/signed.ts";
import { clockedSandbox, openReceiver } from "./testing/tasks.ts";

/** A simulator, a session in it, and the place that the person's browser is led back to. */
async function opened() {
  const simulator = await clockedSandbox();
  const receiver = openReceiver();
  const body = { CallbackURL: receiver.url };
  const session = await resultOf(simulator, "CreateVisualValidateSession", body);
  const token = textAt(session, "BytedToken");
  return {
    simulator: simulator,
    receiver,
    token,
    link: textAt(session, "H5Link").replace("lng=zh", "lng=en"),
    result: () => act(simulator, "GetVisualValidateResult", { BytedToken: token }),
    async [Symbol.asyncDispose]() {
      receiver[Symbol.dispose]();
      await simulator[Symbol.asyncDispose]();
    },
  };
}

testInBrowser("a person who confirms returns with the token", async (page) => {
  await using session = await opened();
  await page.goto(session.link);
  await page.getByRole("button", { name: "It is the person" }).click();
  await page.waitForURL(/\/told\?/);
  const { searchParams } = new URL(page.url());

  expect(searchParams.get("bytedToken")).toBe(session.token);
  expect(searchParams.get("resultCode")).toBe("10000");
  expect(session.receiver.heard.map(({ path }) => path.split("?")[0])).toContain("/told");
  expect((await session.result()).status).toBe(200);
});

testInBrowser("a person who declines returns without a token", async (page) => {
  await using session = await opened();
  await page.goto(session.link);
  await page.getByRole("button", { name: "It is not the person" }).click();
  await page.waitForURL(/\/told\?/);

  expect(page.url()).not.toContain("bytedToken");
  expect(page.url()).not.toContain("resultCode=10000");
  expect(refusalIn(await session.result())).toEqual([404, "ValidateFailed"]);
});

testInBrowser("a person who waits too long sees that the link has expired", async (page) => {
  await using session = await opened();
  await page.goto(session.link);
  session.simulator.wait(120_000);
  await page.getByRole("button", { name: "It is the person" }).click();

  expect(await page.textContent("p")).toBe("The link has expired.");
  expect(session.receiver.heard).toEqual([]);
  expect(refusalIn(await session.result())).toEqual([404, "ResourceNotFound"]);
});

testInBrowser("an open page shows by itself that its time is over", async (page) => {
  await using session = await opened();
  session.simulator.wait(119_000);
  await page.goto(session.link);
  session.simulator.wait(1_000);
  await page.getByText("The link has expired.").waitFor();

  expect(await page.getByRole("button").count()).toBe(0);
});

testInBrowser(
  "a person who goes back and confirms again is sent to the same address",
  async (page) => {
    await using session = await opened();
    await page.goto(session.link);
    await page.getByRole("button", { name: "It is the person" }).click();
    await page.waitForURL(/\/told\?/);
    const first = page.url();
    await page.goBack();
    await page.getByRole("button", { name: "It is the person" }).click();
    await page.waitForURL(/\/told\?/);
    const Filter = { GroupType: "LivenessFace" };

    expect(page.url()).toBe(first);
    expect(await resultOf(session.simulator, "ListAssetGroups", { Filter })).toMatchObject({
      TotalCount: 1,
    });
  },
);
