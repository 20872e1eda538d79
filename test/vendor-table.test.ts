import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { PROVIDERS } from "#providers/index.ts";
import type { Provider } from "#providers/provider.ts";

const COLUMNS: readonly ((provider: Provider) => boolean)[] = [
  ({ images }) => images !== undefined,
  (provider) => shares(provider, "speech"),
  (provider) => shares(provider, "transcriptions"),
  (provider) => shares(provider, "moderations"),
  ({ embeddings }) => embeddings !== undefined,
  ({ rerank }) => rerank !== undefined,
];

function shares({ shared = [] }: Provider, style: string): boolean {
  return shared.some((each) => each.style.id === style);
}

/** A line for each vendor who does any of it, in the order in which they are shown. */
function rows(): readonly string[] {
  return PROVIDERS.flatMap((provider) => {
    const cells = COLUMNS.map((does) => (does(provider) ? "yes" : ""));
    if (!cells.includes("yes")) return [];
    return [`| ${provider.name} (\`${provider.id}\`) | ${cells.join(" | ")} |`];
  });
}

test("the documents list for each vendor its services beyond text", () => {
  const text = readFileSync("docs/beyond-text.md", "utf8");

  const told = text.split("\n").filter((line) => /\(`[a-z-]+`\) \|/.test(line));

  expect(told).toEqual([...rows()]);
});
