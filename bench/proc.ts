import { readdirSync, readFileSync } from "node:fs";

/** What the kernel says about processes, in /proc. */

/** The kernel reports times in ticks of 10 ms to every program, whatever its own clock. */
const TICK_MS = 10;

/** A process and all its descendants: nginx has a master and workers, others may start helpers. */
export function processTree(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of listProc("")) {
    const pid = Number(name);
    const parent = Number.isInteger(pid) ? readStat(pid)?.[1] : undefined;
    if (parent !== undefined) parents.set(pid, Number(parent));
  }
  const tree = parents.has(root) ? [root] : [];
  // Grows while it is walked.
  for (const member of tree) {
    for (const [pid, parent] of parents) if (parent === member) tree.push(pid);
  }
  return tree;
}

/** Tells, each time, the processor time that the processes have used since it was opened. */
export function openCpuMeter(pids: readonly number[]): () => number {
  const tickedBefore = tickedMs(pids);
  const exactBefore = exactMs(pids);
  return () => {
    const ticked = tickedMs(pids) - tickedBefore;
    const exact = exactMs(pids) - exactBefore;
    // Apart by more than rounding: a thread has ended and took its exact count with it.
    return Math.abs(exact - ticked) > 5 * TICK_MS ? ticked : exact;
  };
}

export function rssBytes(pids: readonly number[]): number {
  let kib = 0;
  for (const pid of pids) {
    const status = readProc(`${pid}/status`);
    kib += Number(/^VmRSS:\s+(\d+) kB$/m.exec(status ?? "")?.[1] ?? 0);
  }
  return kib * 1024;
}

/** How many files and sockets a process may at most raise its limit to. */
export function maxOpenFiles(): number {
  const limit = /^Max open files\s+\S+\s+(\S+)/m.exec(readProc("self/limits") ?? "")?.[1];
  return limit === undefined || limit === "unlimited" ? Infinity : Number(limit);
}

/** User and system time of all threads, also of threads and children that have ended. */
function tickedMs(pids: readonly number[]): number {
  const counts = pids.flatMap((pid) => readStat(pid)?.slice(11, 15) ?? []);
  return counts.reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
}

/** The same of the threads that run, to the nanosecond. */
function exactMs(pids: readonly number[]): number {
  let nanos = 0;
  for (const pid of pids) {
    for (const thread of listProc(`${pid}/task`)) {
      nanos += Number.parseInt(readProc(`${pid}/task/${thread}/schedstat`) ?? "0", 10);
    }
  }
  return nanos / 1e6;
}

/** The fields after the command's name, which may itself hold spaces and parentheses. */
function readStat(pid: number): string[] | undefined {
  const stat = readProc(`${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function listProc(path: string): string[] {
  try {
    return readdirSync(`/proc/${path}`);
  } catch {
    return [];
  }
}

/** Undefined when the process has ended meanwhile. */
function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    return undefined;
  }
}
