import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { DocPages } from "./doc-pages.ts";

const HTML = "text/html;charset=utf-8";
const MARKDOWN = "text/markdown;charset=utf-8";
const FILES = [
  ["index.html", HTML, "<h1>Index</h1>"],
  ["index.md", MARKDOWN, "# Index"],
  ["backup.html", HTML, "<h1>Backup</h1>"],
  ["backup.md", MARKDOWN, "# Backup"],
  ["zh/backup.html", HTML, "<h1>备份</h1>"],
  ["404.en.html", HTML, "<h1>No page</h1>"],
  ["404.zh.html", HTML, "<h1>没有</h1>"],
  ["llms.txt", "text/plain;charset=utf-8", "# Sluice"],
  ["assets/main-1.js", "text/javascript", "let main;"],
] as const;
const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

const folder = mkdtempSync(join(tmpdir(), "doc-pages-"));
const pages = new DocPages(writePack());
afterAll(() => rmSync(folder, { recursive: true }));

function ask(path: string, headers: Record<string, string> = BROWSER, method = "GET") {
  return pages.answer(new Request(`http://gateway${path}`, { method, headers }), path);
}

describe("a page of the documentation", () => {
  test("is HTML for a browser, under the policy of the console", async () => {
    const answer = ask("/docs/backup");

    expect(await answer?.text()).toBe("<h1>Backup</h1>");
    expect(answer?.headers.get("content-type")).toBe(HTML);
    expect(answer?.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await ask("/docs")?.text()).toBe("<h1>Index</h1>");
    expect(await ask("/docs/zh/backup")?.text()).toBe("<h1>备份</h1>");
  });

  test("is Markdown at its name with .md, and for a client that asks for Markdown", async () => {
    const asked = ask("/docs/backup", { accept: "text/markdown, text/html;q=0.5" });
    const named = ask("/docs/backup.md", {});

    expect(await asked?.text()).toBe("# Backup");
    expect(asked?.headers.get("content-type")).toBe(MARKDOWN);
    expect(asked?.headers.get("vary")).toBe("accept, accept-encoding");
    expect(await named?.text()).toBe("# Backup");
    expect(await ask("/docs", { accept: "text/markdown" })?.text()).toBe("# Index");
  });

  test("is sent compressed to clients that take it", async () => {
    const answer = ask("/docs/backup", { ...BROWSER, "accept-encoding": "gzip, br" });

    expect(answer?.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(await (answer as Response).bytes()).toString()).toBe("<h1>Backup</h1>");
  });

  test("is not sent again to a client that has it", async () => {
    const etag = ask("/docs/backup")?.headers.get("etag") ?? "";
    const again = ask("/docs/backup", { ...BROWSER, "if-none-match": etag });
    const changed = ask("/docs/backup", { ...BROWSER, "if-none-match": '"other"' });

    expect([again?.status, await again?.text()]).toEqual([304, ""]);
    expect(changed?.status).toBe(200);
  });

  test("that does not exist is a page with status 404 in the language of its path", async () => {
    const english = ask("/docs/nothing");
    const chinese = ask("/docs/zh/nothing");

    expect([english?.status, await english?.text()]).toEqual([404, "<h1>No page</h1>"]);
    expect([chinese?.status, await chinese?.text()]).toEqual([404, "<h1>没有</h1>"]);
    expect(ask("/docs/nothing", { accept: "application/json" })).toBeUndefined();
    for (const name of ["constructor", "__proto__", "assets/none.js", "../index"])
      expect(ask(`/docs/${name}`)?.status ?? 404).toBe(404);
  });

  test("is found with a slash at its end", () => {
    expect(ask("/docs/backup/")?.headers.get("location")).toBe("/docs/backup");
    expect(ask("/docs/")?.headers.get("location")).toBe("/docs");
  });
});

test("the list for agents is at the root and below the documentation", async () => {
  expect(await ask("/llms.txt", {})?.text()).toBe("# Sluice");
  expect(await ask("/docs/llms.txt", {})?.text()).toBe("# Sluice");
});

test("scripts and styles are kept forever", () => {
  expect(ask("/docs/assets/main-1.js")?.headers.get("cache-control")).toContain("immutable");
  expect(ask("/docs/backup")?.headers.get("cache-control")).toBe("no-cache");
});

test("former addresses of the API reference lead to the new ones", () => {
  const answer = ask("/docs/createToken");

  expect([answer?.status, answer?.headers.get("location")]).toEqual([308, "/docs/api/createToken"]);
});

test("the API reference, other paths and other methods are left to others", () => {
  for (const path of ["/docs/api", "/docs/api/createToken", "/", "/docsbook", "/logs"])
    expect(ask(path)).toBeUndefined();
  expect(ask("/docs/backup", BROWSER, "POST")).toBeUndefined();
});

function writePack(): string {
  const parts: Buffer[] = [];
  let offset = 0;
  const files = FILES.map(([name, type, text]) => {
    const bytes = gzipSync(text);
    parts.push(bytes);
    offset += bytes.length;
    return { name, type, etag: name, gzip: [offset - bytes.length, bytes.length] };
  });
  const path = join(folder, "docs.pack");
  const redirects = { createToken: "/docs/api/createToken" };
  writeFileSync(
    path,
    Buffer.concat([Buffer.from(`${JSON.stringify({ redirects, files })}\n`), ...parts]),
  );
  return path;
}
