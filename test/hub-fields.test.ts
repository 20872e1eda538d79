import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "bun:test";

/** Every table that says what becomes of the hub's fields. */
const TABLES = [
  "src/providers/ai-sdk/hub-fields.ts",
  "src/styles/text/chat/request/hub-fields.ts",
  "src/styles/text/gemini/request/hub-fields.ts",
  "src/styles/text/messages/request/hub-fields.ts",
  "src/styles/text/responses/request/hub-fields.ts",
];

/** The tables of blocks. */
const BLOCK_TABLES = [
  "src/providers/ai-sdk/block-out.ts",
  "src/providers/ai-sdk/result-out.ts",
  "src/styles/text/chat/conversation/part-out.ts",
  "src/styles/text/gemini/conversation/part-out.ts",
  "src/styles/text/messages/conversation/block-out.ts",
  "src/styles/text/responses/conversation/part-out.ts",
];

/** Further tables, of the places where blocks may stand. */
const PLACE_TABLES = [
  "src/styles/text/messages/conversation/turns.ts",
  "src/styles/text/responses/conversation/item-out.ts",
];

/** The tables of a message's members. */
const MESSAGE_TABLES = [
  "src/providers/ai-sdk/prompt-out.ts",
  "src/styles/text/chat/conversation/message-out.ts",
  "src/styles/text/gemini/conversation/content-out.ts",
  "src/styles/text/messages/conversation/conversation-out.ts",
  "src/styles/text/responses/conversation/item-out.ts",
];

/** Places that report a loss by hand, and not by a row. Lower it when the code gets better; never raise it. */
const MAX_REPORTING_PLACES = 64;

/** A second checker would find again most of the types of the first. */
const QUICK = ["--noEmit", "--checkers", "1"];

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-hub-fields-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The files that do not compile if a type of the hub has another member. */
function failing(type: string, added: string): readonly string[] {
  const fixture = [
    `import ${JSON.stringify(resolve("src/core/chat.ts"))};`,
    `declare module ${JSON.stringify(resolve("src/core/chat.ts"))} {`,
    `  interface ${type} { ${added} }`,
    `}`,
    ...[...TABLES, ...BLOCK_TABLES, ...PLACE_TABLES, ...MESSAGE_TABLES].map(
      (table) => `import ${JSON.stringify(resolve(table))};`,
    ),
  ];
  const options = {
    extends: resolve("tsconfig.json"),
    compilerOptions: { typeRoots: [resolve("node_modules/@types")] },
    include: [],
    files: ["fixture.ts"],
  };
  writeFileSync(join(folder, "fixture.ts"), fixture.join("\n"));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
  const tsc = resolve("node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync("node", [tsc, ...QUICK, "--pretty", "false", "-p", folder], {
    encoding: "utf8",
    // It ends before garbage gathers.
    env: { ...process.env, GOGC: "off" },
  });
  const faults = stdout.split("\n").filter((line) => line.includes("error TS"));
  const files = faults.map((line) => line.slice(0, line.indexOf("(")));
  return [...new Set(files)].toSorted();
}

test("a field that is added to the hub needs a row in every style and in the adapter", () => {
  expect(failing("ChatRequest", "readonly added?: string")).toEqual(TABLES);
});

test("a new sampling setting needs a place in the frame's group", () => {
  expect(failing("Sampling", "readonly added?: number")).toEqual(
    [...TABLES, "src/styles/text/request-fields.ts"].toSorted(),
  );
});

test("a kind of block that is added to the hub needs a row in every style and in the adapter", () => {
  const added = `readonly added: { readonly type: "added"; readonly extra?: Extra }`;
  expect(failing("BlockKinds", added)).toEqual(
    expect.arrayContaining([...BLOCK_TABLES, ...PLACE_TABLES, "src/styles/text/block-table.ts"]),
  );
});

test("a member that is added to a block needs a row", () => {
  expect(failing("MediaBlock", "readonly added?: string")).toEqual(BLOCK_TABLES);
});

test("a member that is added to a message needs a row", () => {
  expect(failing("Message", "readonly added?: string")).toEqual(MESSAGE_TABLES);
});

test("the current tables compile", () => {
  expect(failing("ChatRequest", "readonly user?: string")).toEqual([]);
});

test(`at most ${MAX_REPORTING_PLACES} places report a loss themselves`, () => {
  const places = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .flatMap((path) =>
      (readFileSync(join("src", path), "utf8").match(/\.lose\(/g) ?? []).map(() => path),
    );

  expect(places.length, places.join("\n")).toBeLessThanOrEqual(MAX_REPORTING_PLACES);
});
