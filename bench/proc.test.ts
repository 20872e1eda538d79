import { expect, test } from "bun:test";
import { waitFor } from "#test/wait.ts";
import { openCpuMeter, processTree, rssBytes } from "./proc.ts";

const BUSY = "const end = Date.now() + 60_000; while (Date.now() < end);";

test("a helper's processor time and memory count as those of the process that started it", async () => {
  await using parent = Bun.spawn(["sh", "-c", `${process.execPath} -e '${BUSY}' & echo; wait`], {
    stdout: "pipe",
  });
  await parent.stdout.getReader().read();

  const tree = processTree(parent.pid);
  const usedMs = openCpuMeter(tree);
  expect(tree).toHaveLength(2);
  await waitFor(() => usedMs() >= 10);
  expect(usedMs()).toBeLessThan(2000);
  expect(openCpuMeter([parent.pid])()).toBeLessThan(10);
  expect(rssBytes(tree)).toBeGreaterThan(rssBytes([parent.pid]) + 5_000_000);
  for (const pid of tree.toReversed()) process.kill(pid, "SIGKILL");
});

test("an ended process uses nothing", () => {
  expect(processTree(0x7fff_fff0)).toEqual([]);
  expect(openCpuMeter([0x7fff_fff0])()).toBe(0);
  expect(rssBytes([0x7fff_fff0])).toBe(0);
});
