import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CHROMIUM, launch } from "#test/browser.ts";
import { quantile } from "./figures.ts";
import { measureFilters } from "./filters.ts";
import { measureFirstLoad, PROFILES, type Profile } from "./first-load.ts";
import { measureScrolling, type Scrolling } from "./scrolling.ts";
import { openConsoleSite } from "./site.ts";

/**
 * The time that people wait for the console, in headless Chromium: `npm run bench:console`. Options:
 * `--rows 10000000`, the calls of the log (a million if left out), and `--only load,scroll,filter`.
 */
const PAGES = ["/login", "/", "/logs", "/keys", "/playground"];

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    only: { type: "string", default: "load,scroll,filter" },
  },
});
const parts = values.only.split(",");
if (CHROMIUM === undefined)
  throw new Error("Install Chromium, or name it in SLUICE_TEST_CHROMIUM.");
const folder = mkdtempSync(join(process.env["BENCH_DIR"] ?? tmpdir(), "console-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const browser = await launch(CHROMIUM);
try {
  await using site = await openConsoleSite(folder, browser, Number(values.rows));
  if (parts.includes("load")) {
    print("| Page | profile | first paint, ms | interactive, ms | script and style, KB |");
    print("|---|---|---|---|---|");
    for (const profile of Object.keys(PROFILES) as Profile[])
      for (const path of PAGES) {
        const { firstPaintMs, interactiveMs, kilobytes } = await measureFirstLoad(
          site,
          path,
          profile,
        );
        const figures = [firstPaintMs, interactiveMs, kilobytes].map(Math.round);
        print(`| \`${path}\` | ${profile} | ${figures.join(" | ")} |`);
      }
  }
  if (parts.includes("scroll")) {
    const { still, loading, loaded } = await measureScrolling(site);
    print(`\nWithout scrolling: ${describe(still)}`);
    print(`Scrolling 10,000 rows while they load: ${describe(loading)}`);
    print(`Scrolling 10,000 rows: ${describe(loaded)}`);
  }
  if (parts.includes("filter")) {
    print(`\n| Filter of ${values.rows} calls | median, ms | longest, ms |\n|---|---|---|`);
    for (const { name, medianMs, longestMs } of await measureFilters(site))
      print(`| ${name} | ${Math.round(medianMs)} | ${Math.round(longestMs)} |`);
  }
} finally {
  await browser.close();
}

function describe({ frames, lateInARow }: Scrolling): string {
  const [middle, late] = [quantile(frames, 0.5), quantile(frames, 0.99)];
  return `${frames.length} frames, median ${middle.toFixed(1)} ms, 99th percentile ${late.toFixed(1)} ms, longest ${Math.max(...frames).toFixed(1)} ms; ${lateInARow} times a late frame followed a late one.`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
