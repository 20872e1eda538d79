import { afterAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { simulatedChannel } from "#test/harness.ts";
import { consoleTests, INNER_PATHS, visit, whenDrawn, type ConsolePlace } from "./console-place.ts";

const MARKUP = `<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script>`;
/** Names of models have no spaces. */
const MODEL = "<img/src=x/onerror=globalThis.hacked=1>";
const TURNED = "invoice\u202egnp.exe";
const TAGS = "project=<img/src=x/onerror=globalThis.hacked=1>";
const LONGEST = "n".repeat(100);
const ANSWER = `${MARKUP} [a link](javascript:globalThis.hacked=1) ![a picture](https://elsewhere.example/x.png) <iframe src="https://elsewhere.example/"></iframe>`;

/** A vendor whose models answer with markup. */
const vendor = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () =>
    Response.json({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "hostile",
      choices: [
        { index: 0, message: { role: "assistant", content: ANSWER }, finish_reason: "stop" },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }),
});
afterAll(() => vendor.stop(true));

const testConsole = consoleTests({
  yaml: `channels:\n${simulatedChannel("vendor", `http://127.0.0.1:${vendor.port}`, `models: [hostile, ${JSON.stringify(MODEL)}]`)}`,
  seed: seedHostileNames,
});

testConsole("no page asks another origin, breaks the policy or logs an error", async (place) => {
  const page = await place.open();
  const watched = watch(page, place.gateway.url);
  for (const path of INNER_PATHS) await visit(page, place.gateway.url + path);
  const visited = await place.open();
  const watchedLogin = watch(visited, place.gateway.url);
  for (const path of ["/login", "/setup"]) await visit(visited, place.gateway.url + path);

  expect([...watched, ...watchedLogin]).toEqual([]);
});

testConsole("hostile names of keys and models stay text", async (place) => {
  const page = await place.open();
  const watched = watch(page, place.gateway.url);
  await visit(page, `${place.gateway.url}/keys`);
  await page.locator("[data-row]", { hasText: MARKUP }).first().waitFor();
  await visit(page, `${place.gateway.url}/logs`);
  await page.locator("[data-row]", { hasText: MODEL }).first().click();
  await page.locator("dialog[open]").getByText(MODEL).first().waitFor();
  await whenDrawn(page);
  for (const path of [
    "/channels",
    "/models",
    "/audit",
    "/usage",
    "/users",
    "/groups",
    "/pricing",
  ]) {
    await visit(page, place.gateway.url + path);
    await expectHarmless(page);
  }

  expect(watched).toEqual([]);
});

testConsole(
  "endless and turned names are refused, and so is markup in a tag; the longest name widens no page",
  async (place) => {
    for (const name of [TURNED, "n".repeat(2_000)])
      expect((await place.root("POST", "/api/token", { name })).status).toBe(400);
    const tagged = await place.gateway.post("/v1/chat/completions", {}, { "sluice-tags": TAGS });
    expect(tagged.status).toBe(400);
    for (const width of [1_440, 390]) {
      const page = await place.open({ width });
      await visit(page, `${place.gateway.url}/keys`);
      const row = page.locator("[data-row]", { hasText: LONGEST }).first();
      await row.waitFor();
      const isWider = await page.evaluate<boolean>(
        "document.scrollingElement.scrollWidth > innerWidth",
      );

      const other = page.locator("[data-row]", { hasNotText: LONGEST }).last();
      const usual = (await other.boundingBox())?.height;
      expect({ isWider, height: (await row.boundingBox())?.height }).toEqual({
        isWider: false,
        height: usual,
      });
    }
  },
);

testConsole("a hostile answer of a model stays text in the playground", async (place) => {
  const page = await place.open();
  const watched = watch(page, place.gateway.url);
  await visit(page, `${place.gateway.url}/playground?model=hostile`);
  await page.getByRole("button", { name: "temporary key" }).click();
  await page.getByLabel("Message", { exact: true }).fill(MARKUP);
  await page.locator("summary").first().click();
  await page.getByLabel("Stream", { exact: false }).first().uncheck();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.locator("[aria-live] p", { hasText: "a link" }).waitFor();

  const shown = await page.locator("[aria-live] p", { hasText: "a link" }).first().textContent();
  expect(shown).toBe(ANSWER);
  await expectHarmless(page);
  expect(watched).toEqual([]);
});

async function seedHostileNames({ gateway, root }: ConsolePlace): Promise<void> {
  await root("PUT", "/api/setting/model_page", { value: "on" });
  await root("POST", "/api/group", { name: MARKUP.slice(0, 90) });
  for (const name of [MARKUP, LONGEST]) {
    const { status, body } = await root("POST", "/api/token", { name });
    if (status !== 200) throw new Error(body.message);
  }
  const statuses: number[] = [];
  for (const model of [MODEL, "m".repeat(200), "hostile"]) {
    const asked = { model, messages: [{ role: "user", content: MARKUP }] };
    const answer = await gateway.post("/v1/chat/completions", asked);
    await answer.text();
    statuses.push(answer.status);
  }
  expect(statuses).toEqual([200, 404, 200]);
}

async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate<unknown>("globalThis.hacked")).toBeUndefined();
  expect(await page.locator("img[src=x], iframe, a[href^='javascript:']").count()).toBe(0);
}

/** The gateway's answers that it has no single sign-on, and no public page of models. */
const IS_OFF = ["/api/user/oidc", "/api/pricing"];

/** Requests to elsewhere, and what the browser complains of. */
function watch(page: Page, own: string): readonly string[] {
  const faults: string[] = [];
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== "data:" && protocol !== "blob:" && origin !== own) faults.push(request.url());
  });
  page.on("console", (message) => {
    const { url } = message.location();
    if (message.type() === "error" && !IS_OFF.some((path) => url.endsWith(path)))
      faults.push(`${page.url()}: ${message.text()} ${url}`);
  });
  page.on("pageerror", (error) => faults.push(`${page.url()}: ${error.message}`));
  return faults;
}
