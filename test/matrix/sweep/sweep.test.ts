import { expect, test } from "bun:test";
import { IS_LONG, times } from "#test/seed.ts";
import { sweepReport } from "./report.ts";
import { runSweep } from "./run.ts";

/**
 * What the gateway refuses by itself, because the target cannot do it and the
 * answer would be to another question.
 */
const REFUSED_HERE = new Set([
  "n -> openai responses",
  "n -> anthropic",
  "n -> moonshot",
  "n -> minimax messages",
  "video -> openai chat",
  "video -> openai responses",
  "video -> deepseek",
  "video -> anthropic",
  "video -> minimax messages",
  "file -> deepseek",
]);

/** `npm run sweep` prints the same. */
test("no vendor refuses the translation of a usual request", async () => {
  const cells = await runSweep({ isLong: IS_LONG });
  const byVendors = cells.filter((cell) => cell.isRefusedByVendor);
  const failed = cells.filter(
    ({ status, setting, target }) => status !== 200 && !REFUSED_HERE.has(`${setting} -> ${target}`),
  );
  const report = sweepReport(byVendors.length > 0 ? byVendors : failed);
  process.stdout.write(`${report.split("\n").at(-1)}\n`);

  expect(cells.length).toBeGreaterThan(times(1_900, 16_000));
  expect(byVendors.length > 0 || failed.length > 0 ? report : "").toBe("");
}, 900_000);
