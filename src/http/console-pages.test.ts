import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { ConsolePages } from "./console-pages.ts";

const NO_REQUESTS = { self: [], others: [] };
const folder = mkdtempSync(join(tmpdir(), "console-pages-"));
const pages = new ConsolePages(writePack());
afterAll(() => rmSync(folder, { recursive: true }));

const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

function ask(path: string, headers: Record<string, string> = {}, method = "GET") {
  return pages.answer(new Request(`http://gateway${path}`, { method, headers }), path);
}

test("a browser gets the page at each of its paths and below them", async () => {
  for (const path of ["/", "/logs", "/logs/01ABC"]) {
    const answer = ask(path, HTML);
    expect(await answer?.text()).toBe("<p>page</p>");
    expect(answer?.headers.get("content-type")).toBe("text/html;charset=utf-8");
  }
});

test("a browser is told at once which scripts a page needs", () => {
  expect(ask("/logs/01ABC", HTML)?.headers.get("link")).toBe(
    "</console/logs-1.js>; rel=modulepreload, </console/table-1.js>; rel=modulepreload",
  );
  expect(ask("/", HTML)?.headers.has("link")).toBe(false);
});

test("a browser is told at once which requests a page makes first", () => {
  const first = (path: string) => ask(path, HTML)?.headers.get("link");
  const self = "</api/me>; rel=preload; as=fetch; crossorigin";

  expect(first("/keys")).toBe(`${self}, </api/keys?p=1>; rel=preload; as=fetch; crossorigin`);
  // A query changes the second request.
  expect(
    pages
      .answer(new Request("http://gateway/keys?key=7", { headers: HTML }), "/keys")
      ?.headers.get("link"),
  ).toBe(self);
  expect(first("/keys/below")).toBeNull();
});

test("the page allows scripts, styles and requests of the gateway alone", () => {
  const policy = ask("/", HTML)?.headers.get("content-security-policy");

  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
});

test("a program that asks for JSON gets no page", () => {
  expect(ask("/", { accept: "application/json" })).toBeUndefined();
  expect(ask("/")).toBeUndefined();
});

test("other paths and other methods are left to the gateway", () => {
  expect(ask("/nowhere", HTML)).toBeUndefined();
  expect(ask("/logsbook", HTML)).toBeUndefined();
  expect(ask("/", HTML, "POST")).toBeUndefined();
  expect(ask("/console/missing.js")).toBeUndefined();
});

test("a file is sent compressed to who takes it, and is kept forever", async () => {
  const plain = ask("/console/app-1.js");
  const compressed = ask("/console/app-1.js", { "accept-encoding": "gzip, br" });

  expect(await plain?.text()).toBe("let app;");
  expect(compressed?.headers.get("content-encoding")).toBe("gzip");
  expect(gunzipSync(await (compressed as Response).bytes()).toString()).toBe("let app;");
  expect(plain?.headers.get("cache-control")).toContain("immutable");
});

test("HEAD has the length and no body", async () => {
  const head = ask("/console/app-1.js", {}, "HEAD");

  expect(head?.headers.get("content-length")).toBe("8");
  expect(await head?.text()).toBe("");
});

test("an incomplete console is refused, and the error says how to build it", () => {
  const path = join(mkdtempSync(join(tmpdir(), "console-pages-")), "console.pack");
  writeFileSync(
    path,
    `${JSON.stringify({ pages: [{ path: "/", scripts: [], requests: NO_REQUESTS }], files: [] })}\n`,
  );
  const request = new Request("http://gateway/", { headers: HTML });

  expect(() => new ConsolePages(path).answer(request, "/")).toThrow("Build the console again");
  rmSync(join(path, ".."), { recursive: true });
});

function writePack(): string {
  const page = Buffer.from("<p>page</p>");
  const script = Buffer.from("let app;");
  const gzip = gzipSync(script);
  const files = [
    { name: "index.html", type: "text/html;charset=utf-8", identity: [0, page.length] },
    {
      name: "app-1.js",
      type: "text/javascript",
      identity: [page.length, script.length],
      gzip: [page.length + script.length, gzip.length],
    },
  ];
  const path = join(folder, "console.pack");
  const pages = [
    { path: "/", scripts: [], requests: NO_REQUESTS },
    { path: "/logs", scripts: ["logs-1.js", "table-1.js"], requests: NO_REQUESTS },
    { path: "/keys", scripts: [], requests: { self: ["/api/me"], others: ["/api/keys?p=1"] } },
  ];
  const head = Buffer.from(`${JSON.stringify({ pages, files })}\n`);
  writeFileSync(path, Buffer.concat([head, page, script, gzip]));
  return path;
}
