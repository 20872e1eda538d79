import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-hub-fields-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The files that miss the member, if a type of the hub has it besides. */
function missing(type: string, added: string): readonly string[] {
  const fixture = [
    `import ${JSON.stringify(resolve("src/core/chat.ts"))};`,
    `declare module ${JSON.stringify(resolve("src/core/chat.ts"))} {`,
    `  interface ${type} { ${added} }`,
    `}`,
    ...TABLES.map((table) => `import ${JSON.stringify(resolve(table))};`),
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
  const { stdout } = spawnSync("node", [tsc, "--noEmit", "--pretty", "false", "-p", folder], {
    encoding: "utf8",
    // It ends before garbage gathers.
    env: { ...process.env, GOGC: "off" },
  });
  const faults = stdout.split("\n").filter((line) => line.includes("error TS"));
  const files = faults.map((line) =>
    line.includes("Property 'added' is missing") ? line.slice(0, line.indexOf("(")) : line,
  );
  return [...new Set(files)].toSorted();
}

test("a field that is added to the hub needs a row in every style and in the adapter", () => {
  expect(missing("ChatRequest", "readonly added?: string")).toEqual(TABLES);
});

test("so does a new sampling setting, which the frame has to group with the others", () => {
  expect(missing("Sampling", "readonly added?: number")).toEqual(
    [...TABLES, "src/styles/text/request-fields.ts"].toSorted(),
  );
});

test("the tables compile as they are", () => {
  expect(missing("ChatRequest", "readonly user?: string")).toEqual([]);
});
