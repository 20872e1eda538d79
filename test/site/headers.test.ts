import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Names of threads and files, which have the same form. */
const NO_HEADERS = /-$|^sluice-(backup|tokens|writer)$/;

test("the documents list every header of the gateway's own", () => {
  const text = readFileSync("docs/headers.md", "utf8");
  const named = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .flatMap((path) => readFileSync(join("src", path), "utf8").match(/"sluice-[a-z-]+"/g) ?? [])
    .map((name) => name.slice(1, -1))
    .filter((name) => !NO_HEADERS.test(name));

  expect(named.length).toBeGreaterThan(5);
  expect([...new Set(named)].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
