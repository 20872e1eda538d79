import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { code, table } from "./table.ts";

const CALL = /\.metric\(/g;
const METRIC = /\.metric\(\s*"(\w+)",\s*"(\w+)",\s*"([^"]+)",?\s*\)/g;
const SOURCES = join(import.meta.dir, "..", "..", "src");

/** All metrics. They are read from the code, because most are written only while a gateway runs. */
export function renderMetrics(): string {
  const rows = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .flatMap((path) => metricsIn(path, readFileSync(join(SOURCES, path), "utf8")));
  return table(
    ["Metric", "Kind", "Meaning"],
    rows.toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1)),
  );
}

function metricsIn(path: string, text: string): readonly (readonly string[])[] {
  const found = [...text.matchAll(METRIC)];
  if (found.length !== [...text.matchAll(CALL)].length) {
    throw new Error(`${path} has a metric whose name or description is no plain text.`);
  }
  return found.map(([, kind = "", name = "", help = ""]) => [code(name), kind, help]);
}
