import { runSweep } from "./run.ts";
import { sweepReport } from "./report.ts";
import { TARGETS } from "./targets.ts";

const words = process.argv.slice(2);
const picked = words.filter((word) => !word.startsWith("--"));
const targets = TARGETS.filter(({ id }) => picked.length === 0 || picked.includes(id));
const cells = await runSweep({ isLong: words.includes("--long"), targets });
process.stdout.write(`${sweepReport(cells)}\n`);
process.exitCode = cells.some(({ isRefusedByVendor }) => isRefusedByVendor) ? 1 : 0;
