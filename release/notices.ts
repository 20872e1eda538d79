import type { IncludedPackage } from "./included-packages.ts";

const LINE = "-".repeat(80);

/** The licenses of all that a build contains and others wrote, as one text. */
export function writeNotices(packages: readonly IncludedPackage[], bunVersion: string): string {
  return [
    "Third-party notices",
    "",
    "Sluice contains the software below, under the licenses that follow each name.",
    LINE,
    `Bun ${bunVersion} (MIT)`,
    "https://bun.com",
    "",
    "The executables contain the runtime Bun; the npm package depends on it. Bun links",
    "JavaScriptCore and other parts of WebKit statically (LGPL-2), and further libraries under",
    "the licenses that its LICENSE.md lists:",
    `https://github.com/oven-sh/bun/blob/bun-v${bunVersion}/LICENSE.md`,
    "That page also says how to link the runtime with a changed JavaScriptCore.",
    ...packages.flatMap(describe),
    "",
  ].join("\n");
}

function describe({ name, version, license, homepage, texts }: IncludedPackage): string[] {
  const shown = texts.length > 0 ? texts : ["The package contains no license text."];
  return [
    LINE,
    `${name} ${version} (${license})`,
    ...(homepage === undefined ? [] : [homepage]),
    ...shown.flatMap((text) => ["", text]),
  ];
}
