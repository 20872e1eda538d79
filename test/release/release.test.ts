import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import Ajv from "ajv";
import { parse } from "yaml";
import manifest from "#package.json" with { type: "json" };
import { createBill, reduceBill } from "../../release/bill-of-materials.ts";
import { releaseChangelog, releaseNotes } from "../../release/changelog.ts";
import { TARGETS } from "../../release/executables.ts";
import { packagesOf } from "../../release/included-packages.ts";
import { writeNotices } from "../../release/notices.ts";
import { nextVersion } from "../../release/version.ts";
import { VERSIONED } from "../../release/versioned-files.ts";

describe("the version of a release", () => {
  test.each([
    ["0.1.0", "patch", "0.1.1"],
    ["0.1.9", "minor", "0.2.0"],
    ["0.9.3", "major", "1.0.0"],
    ["1.2.3", "1.3.0-rc.1", "1.3.0-rc.1"],
    ["1.3.0-rc.9", "1.3.0-rc.10", "1.3.0-rc.10"],
    ["1.3.0-rc.1", "1.3.0", "1.3.0"],
    ["1.3.0-rc.1", "patch", "1.3.0"],
  ])("after %s, '%s' gives %s", (current, word, expected) => {
    expect(nextVersion(current, word)).toBe(expected);
  });

  test.each([
    ["1.2.3", "1.2.3"],
    ["1.2.3", "1.2.3-rc.1"],
    ["1.2.3", "0.9.9"],
    ["1.3.0-rc.10", "1.3.0-rc.9"],
    ["1.2.3", "v1.2.4"],
    ["1.2.3", "next"],
  ])("after %s, '%s' is refused", (current, word) => {
    expect(() => nextVersion(current, word)).toThrow(word);
  });

  test.each(VERSIONED)("%s names it after '%s'", (path, before, after) => {
    expect(readFileSync(path, "utf8")).toContain(`${before}${manifest.version}${after}`);
  });
});

describe("the changelog of a release", () => {
  const text = [
    "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A.\n\n### Fixed\n\n- F.\n\n",
    "### Action required\n\n- Do it.\n\n## [0.1.0] - 2026-11-23\n\n### Added\n\n- Old.\n",
  ].join("");

  test("dates the version, and begins with the actions that operators must take", () => {
    expect(releaseChangelog(text, "0.2.0", "2026-12-01")).toBe(
      [
        "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n",
        "### Action required\n\n- Do it.\n\n### Added\n\n- A.\n\n### Fixed\n\n- F.\n\n",
        "## [0.1.0] - 2026-11-23\n\n### Added\n\n- Old.\n",
      ].join(""),
    );
  });

  test("says so if nothing must be done", () => {
    const without = text.replace("### Action required\n\n- Do it.\n\n", "");
    const released = releaseChangelog(without, "0.2.0", "2026-12-01");

    expect(releaseNotes(released, "0.2.0")).toStartWith("### Action required\n\n- None.\n\n");
  });

  test("of an empty section, or of an unknown version, is refused", () => {
    const empty = "## [Unreleased]\n\n## [0.1.0] - 2026-11-23\n\n- Old.\n";

    expect(() => releaseChangelog(empty, "0.2.0", "2026-12-01")).toThrow("nothing");
    expect(() => releaseNotes(text, "0.3.0")).toThrow("0.3.0");
  });

  test("of this repository can be released, and loses no line", () => {
    const changelog = readFileSync("CHANGELOG.md", "utf8");
    const released = releaseChangelog(changelog, "9.0.0", "2026-12-01").split("\n");

    expect(releaseNotes(changelog, manifest.version)).toContain("### Added");
    for (const line of changelog.split("\n").filter((each) => each.startsWith("- ")))
      expect(released).toContain(line);
  });
});

describe("the bill of materials", () => {
  const included = packagesOf([
    "node_modules/hono/package.json",
    "node_modules/preact/package.json",
    "node_modules/@opentelemetry/sdk-trace/node_modules/@opentelemetry/core/package.json",
  ]);
  const bill = createBill(included, manifest.version, manifest.dependencies.bun);

  test("follows the schema of CycloneDX", () => {
    const validate = schemaOfBills();

    expect([validate(bill), validate.errors]).toEqual([true, null]);
    expect(validate({ ...bill, components: [{ name: "no type" }] })).toBe(false);
  });

  test("lists the packages of the executable, and no others", () => {
    expect(bill.components.map((each) => each["bom-ref"]).toSorted()).toEqual(
      [
        ...included.map((each) => `${each.name}@${each.version}`),
        `bun@${manifest.dependencies.bun}`,
      ].toSorted(),
    );
    expect(bill.metadata.component).toMatchObject({ type: "application", name: "sluice" });
    const listed = [...bill.components, bill.metadata.component].map((each) => each["bom-ref"]);
    expect(listed).toEqual(expect.arrayContaining(bill.dependencies.map(({ ref }) => ref)));
  });

  test("is refused if npm does not list a package", () => {
    expect(() => reduceBill(bill, new Set(["left-pad@1.0.0"]), "0.1.0")).toThrow("left-pad@1.0.0");
  });

  test("a release lists the license of each package", () => {
    const notices = writeNotices(included, "1.4.4");

    expect(notices).toContain("Bun 1.4.4 (MIT)");
    for (const { name, version, license, texts } of included) {
      expect(notices).toContain(`${name} ${version} (${license})`);
      expect(texts.length).toBeGreaterThan(0);
      for (const each of texts) expect(notices).toContain(each);
    }
  });
});

test("the workflow signs without stored keys, and uses commands that exist", () => {
  const text = readFileSync(".github/workflows/release.yml", "utf8");
  const { jobs } = parse(text) as {
    jobs: Record<string, { permissions: Record<string, string>; steps: { run?: string }[] }>;
  };
  const scripts = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = ""]) => name);

  for (const name of ["files", "image"])
    expect(jobs[name]?.permissions).toMatchObject({ "id-token": "write", attestations: "write" });
  expect(text).not.toMatch(/cosign [^\n]*--key/);
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(scripts));
});

test("executables are made for Linux with both C libraries, and for macOS", () => {
  expect(Object.keys(TARGETS).toSorted()).toEqual([
    "linux-arm64",
    "linux-arm64-musl",
    "linux-x64",
    "linux-x64-musl",
    "macos-arm64",
    "macos-x64",
  ]);
});

function schemaOfBills(): ReturnType<Ajv["compile"]> {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const name of ["spdx.SNAPSHOT.schema.json", "jsf-0.82.SNAPSHOT.schema.json"])
    ajv.addSchema(readSchema(name), `http://cyclonedx.org/schema/${name}`);
  return ajv.compile(readSchema("bom-1.5.SNAPSHOT.schema.json"));
}

function readSchema(name: string): object {
  const folder = "node_modules/@cyclonedx/cyclonedx-library/res/schema";
  return JSON.parse(readFileSync(`${folder}/${name}`, "utf8")) as object;
}
