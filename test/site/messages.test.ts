import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

test("the messages that the documents explain are messages of the gateway", () => {
  const headings = readFileSync("docs/faq.md", "utf8").matchAll(/^### "(.+)"$/gm);
  const messages = [...headings].map(([, message = ""]) => message);
  const code = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .map((path) => readFileSync(join("src", path), "utf8"))
    .join("\n");

  expect(messages.length).toBeGreaterThan(7);
  expect(messages.filter((message) => !code.includes(message))).toEqual([]);
});
