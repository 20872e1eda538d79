import { afterEach } from "bun:test";
import { appendFileSync, readFileSync } from "node:fs";
import { relative } from "node:path";

/**
 * `npm test` loads this file before the tests. It notes the processor time that
 * passed since the last test, so a file's first test counts its imports, too.
 */
const path = process.env["TEST_CPU_FILE"];
let lastMs = 0;

// They have taken effect here, and the programs that tests start run as they are shipped.
for (const name of process.env["TEST_PROCESS_SETTINGS"]?.split(",") ?? []) delete process.env[name];

if (path !== undefined) {
  afterEach(() => {
    const nowMs = ownMs() + endedChildrenMs();
    appendFileSync(path, `${(nowMs - lastMs).toFixed(1)}\t${relative(".", Bun.main)}\n`);
    lastMs = nowMs;
  });
}

function ownMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Linux counts it in hundredths of a second; other systems do not tell. */
function endedChildrenMs(): number {
  if (process.platform !== "linux") return 0;
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
