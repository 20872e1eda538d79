import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

const IN_BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

let gateway: TestGateway;

beforeAll(async () => {
  const built = Bun.spawn([process.execPath, "site/build.ts"], { stderr: "pipe" });
  expect(await built.exited, await new Response(built.stderr).text()).toBe(0);
  gateway = await openTestGateway({ yaml: "" });
}, 60_000);

afterAll(() => gateway[Symbol.asyncDispose]());

describe("the gateway serves its documentation", () => {
  test("with its first page at /docs and every file that the page names", async () => {
    const page = await gateway.get("/docs", IN_BROWSER);
    const html = await page.text();
    const named = [...html.matchAll(/(?:src|href|data-index)="(\/docs\/assets\/[^"]+)"/g)];
    const files = await Promise.all(named.map(([, path = ""]) => gateway.get(path)));

    expect(page.status).toBe(200);
    expect(html).toContain("<h1>Documentation</h1>");
    expect(files.length).toBe(5);
    expect(files.map(({ status }) => status)).toEqual(files.map(() => 200));
  });

  test("without scripts or styles in a page, which its policy forbids", async () => {
    const page = await gateway.get("/docs/configuration", IN_BROWSER);
    const html = await page.text();

    expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon[a-z]+="/);
  });

  test("as Markdown for agents, whose links lead to Markdown", async () => {
    const named = await (await gateway.get("/docs/failover.md")).text();
    const asked = await gateway.get("/docs/failover", { accept: "text/markdown" });
    const source = readFileSync("docs/failover.md", "utf8");

    expect(named.split("\n")[0]).toBe(source.split("\n")[0] ?? "");
    expect(named).toContain("](/docs/");
    expect(named).not.toMatch(/\]\((?!\/|https?:)/);
    expect(await asked.text()).toBe(named);
    expect(asked.headers.get("content-type")).toBe("text/markdown;charset=utf-8");
  });

  test("with a list for agents that names only pages which exist", async () => {
    const list = await (await gateway.get("/llms.txt")).text();
    const named = [...list.matchAll(/\]\((\/[^)]+)\)/g)].map(([, path = ""]) => path);
    const answers = await Promise.all(named.map((path) => gateway.get(path)));

    expect(list).toStartWith("# Sluice\n");
    expect(named.length).toBeGreaterThan(50);
    expect(answers.map(({ status }) => status)).toEqual(named.map(() => 200));
  });

  test("with a page for unknown names, and an error for programs", async () => {
    const browser = await gateway.get("/docs/no-such-page", IN_BROWSER);
    const program = await gateway.get("/docs/no-such-page", { accept: "application/json" });

    expect([browser.status, await browser.text()]).toEqual([
      404,
      expect.stringContaining("There is no such page"),
    ]);
    expect(program.status).toBe(404);
    expect(program.headers.get("content-type")).toContain("json");
  });

  test("beside the API reference of the console, which has an address of its own", async () => {
    const reference = await gateway.get("/docs/api", IN_BROWSER);
    const former = await fetch(`${gateway.url}/docs/listModels`, { redirect: "manual" });

    expect(await reference.text()).toContain("/console/");
    expect([former.status, former.headers.get("location")]).toEqual([308, "/docs/api/listModels"]);
  });
});

test("an operator who turns the console off turns the documentation off", async () => {
  await using closed = await openTestGateway({ yaml: "console: off" });

  expect((await closed.get("/docs", IN_BROWSER)).status).toBe(404);
});
