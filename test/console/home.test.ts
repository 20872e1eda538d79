import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Page } from "playwright-core";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { asRoot, bearer, openWithRoot, ROOT, textIn } from "#test/accounts.ts";
import { testInBrowser } from "#test/browser.ts";
import { simulatedChannel, type TestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

describe("home", () => {
  const opened = new AsyncDisposableStack();
  let gateway: TestGateway;

  beforeAll(async () => {
    const built = Bun.spawn([process.execPath, "console/build.ts"], { stdout: "ignore" });
    expect(await built.exited).toBe(0);
    const sandbox = await startSandbox();
    opened.defer(() => sandbox.stop());
    const broken = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => Response.json({ error: { message: "Wrong key" } }, { status: 401 }),
    });
    opened.defer(() => broken.stop(true));
    const channels = [
      simulatedChannel("well", sandbox.url, "models: [gpt-4o-mini]"),
      simulatedChannel("ill", broken.url.origin, "models: [gpt-4o]"),
    ];
    gateway = opened.use(
      await openWithRoot({
        yaml: `limits: { alert_ms: 100ms }\nchannels:\n${channels.join("\n")}`,
      }),
    );
    const root = await asRoot(gateway.url);
    const made = await root("POST", "/api/token", { name: "laptop" });
    const key = bearer(textIn(made.data, "key"));
    for (const model of ["gpt-4o-mini", "gpt-4o"]) {
      const messages = [{ role: "user", content: "Hello" }];
      await (await gateway.post("/v1/chat/completions", { model, messages }, key)).text();
    }
    await waitFor(async () => {
      const { data } = await root("GET", "/api/home");
      return JSON.stringify(data["problems"]).includes('"ill"');
    });
    await waitFor(async () => {
      const { data } = await root("GET", "/api/log?outcome=failed");
      return (data["items"] as readonly unknown[]).length === 1;
    });
  }, 60_000);

  afterAll(() => opened.disposeAsync());

  testInBrowser(
    "the first requests of a page begin with its scripts, and only once",
    async (page) => {
      await logInTo(page);
      const drawn = async (): Promise<void> => {
        await page.locator("#main h1").first().waitFor();
        await page.locator(".skeleton, [aria-busy=true]").first().waitFor({ state: "detached" });
      };
      await drawn();
      for (const [path, ...first] of [
        ["/", "/api/user/self", "/api/home"],
        ["/keys", "/api/user/self", "/api/token?p=1&page_size=100"],
      ] as const) {
        const asked: string[] = [];
        const note = (request: { url(): string }): void => {
          const { pathname, search } = new URL(request.url());
          asked.push(pathname + search);
        };
        page.on("request", note);
        await page.goto(gateway.url + path);
        await drawn();
        page.off("request", note);

        for (const each of first) expect(asked.filter((one) => one === each)).toEqual([each]);
      }
    },
  );

  testInBrowser(
    "home shows an ill channel first, and failed calls after one click",
    async (page) => {
      await logInTo(page);
      const first = page.getByRole("main").getByRole("listitem").first();
      await first.waitFor();
      expect(await first.innerText()).toMatch(/ill refused since .*Wrong key/);
      expect(await first.getByRole("link").getAttribute("href")).toBe("/channels/ill");

      await page.getByRole("link", { name: "What failed in the last hour" }).click();
      const rows = page.locator("[data-row]");
      await rows.first().waitFor();
      expect(new URL(page.url()).pathname).toBe("/logs");
      expect(await rows.count()).toBe(1);
      expect(await rows.first().innerText()).toContain("gpt-4o");
    },
  );

  async function logInTo(page: Page): Promise<void> {
    await page.addInitScript(() => localStorage.setItem("sluice.language", "en"));
    await page.goto(`${gateway.url}/login`);
    await page.locator("input[name=username]").fill(ROOT.email);
    await page.locator("input[name=password]").fill(ROOT.password);
    await page.locator("button[type=submit]").click();
    await page.waitForURL((url) => url.pathname === "/");
  }
});
